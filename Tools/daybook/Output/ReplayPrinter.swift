import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay

/// Prints a replay as it runs: for people, as one document, or one step per line.
final class ReplayPrinter {
  let format: OutputFormat
  private var steps = 0
  /// The state after the steps so far; kept only for `json`.
  private var state: [ReplaySubject: ReplayStanding] = [:]

  init(_ format: OutputFormat) { self.format = format }

  func begin() {
    if format == .json { Console.print("{\"steps\":[") }
  }

  func print(_ step: ReplayStep) {
    defer { steps += 1 }
    switch format {
    case .table:
      for line in step.textLines {
        let text = line.text.drop { $0 == " " }
        let indent = String(line.text[..<text.startIndex])
        for piece in Console.wrapped(String(text), indent: indent) {
          Console.print(line.styled(piece))
        }
      }
    case .jsonl: Console.print(step.json)
    case .json:
      Console.print((steps == 0 ? "" : ",") + step.json)
      for change in step.earlierChanges + step.changes { state[change.subject] = change.after }
    }
  }

  func end(_ outcome: ReplayOutcome) {
    switch format {
    case .table:
      Console.print("")
      Console.print(
        "\(outcome.steps.counted("step")), \(outcome.findings.count.counted("finding"))")
      if !outcome.findings.isEmpty { FindingList.print(outcome.findings) }
      if !outcome.findingsAtTheEnd.isEmpty {
        Console.print("")
        Console.print("still broken at the end")
        FindingList.print(outcome.findingsAtTheEnd)
      }
    case .jsonl: break
    case .json:
      var json = JSONText()
      json.object { json in
        Self.write("findings", outcome.findings, to: &json)
        Self.write("findingsAtTheEnd", outcome.findingsAtTheEnd, to: &json)
        let lines = state.sorted { $0.key < $1.key }
        json.member(
          "state",
          array: { json in
            for (subject, standing) in lines {
              ReplayLine(subject: subject, standing: standing).write(to: &json)
            }
          })
      }
      // The document began with the steps. Its other members follow them.
      Console.print("]," + json.text.dropFirst().dropLast())
    }
  }

  /// Ends the document that `begin` opened.
  func close() {
    if format == .json { Console.print("}") }
  }

  static func write(
    _ name: String, _ findings: [FindingAnswer], to json: inout JSONText
  ) {
    json.member(name, each: findings) { $1.write(to: &$0) }
  }
}

extension ReplayStep {
  fileprivate var json: String {
    var json = JSONText()
    json.object { json in
      json.member("position", event.position)
      json.key("event")
      json.raw(String(decoding: EventEncoder().encode(event), as: UTF8.self))
      json.member("note", note)
      json.member("earlierChanges", each: earlierChanges) { $1.write(to: &$0) }
      json.member("changes", each: changes) { $1.write(to: &$0) }
      ReplayPrinter.write("broken", broken, to: &json)
      ReplayPrinter.write("settled", settled, to: &json)
    }
    return json.text
  }
}

extension ReplayChange {
  /// Writes it as an object.
  func write(to json: inout JSONText) {
    json.object { json in
      subject.writeMembers(to: &json)
      json.member("before", before?.text)
      json.member("after", after?.text)
    }
  }
}

extension ReplayLine {
  /// Writes it as an object.
  func write(to json: inout JSONText) {
    json.object { json in
      subject.writeMembers(to: &json)
      json.member("standing", standing.text)
    }
  }
}

extension ReplaySubject {
  func writeMembers(to json: inout JSONText) {
    json.member("kind", kind.rawValue)
    json.member("name", name)
    json.member("environment", environment.text)
    json.member("account", account)
    json.member("transaction", transaction)
    json.member("device", device)
  }
}
