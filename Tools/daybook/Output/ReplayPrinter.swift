import LedgerEvents
import LedgerModel
import LedgerStore
import Replay

/// Prints a replay as it goes: for people, as one document, or a step a line.
final class ReplayPrinter {
  let format: OutputFormat
  private var steps = 0

  init(_ format: OutputFormat) { self.format = format }

  func begin() {
    if format == .json { Console.print("{\"steps\":[") }
  }

  func print(_ step: ReplayStep) {
    defer { steps += 1 }
    switch format {
    case .table: printText(step)
    case .jsonl: Console.print(step.json)
    case .json: Console.print((steps == 0 ? "" : ",") + step.json)
    }
  }

  func end(_ outcome: ReplayOutcome) {
    switch format {
    case .table:
      Console.print("")
      Console.print("\(outcome.steps) steps, \(outcome.findings.count) findings")
      if !outcome.findings.isEmpty { FindingAnswer.print(outcome.findings, .table) }
      if !outcome.findingsAtTheEnd.isEmpty {
        Console.print("")
        Console.print("broken at the end")
        FindingAnswer.print(outcome.findingsAtTheEnd, .table)
      }
    case .jsonl: break
    case .json:
      var json = JSONText()
      json.object { json in
        Self.write("findings", outcome.findings, to: &json)
        Self.write("findingsAtTheEnd", outcome.findingsAtTheEnd, to: &json)
      }
      // The document began with the steps; its last members follow them, and what else is told.
      Console.print("]," + json.text.dropFirst().dropLast())
    }
  }

  /// Ends what `begin` began.
  func close() {
    if format == .json { Console.print("}") }
  }

  static func write(
    _ name: String, _ findings: [FindingAnswer], to json: inout JSONText
  ) {
    json.member(name, array: { json in for finding in findings { finding.write(to: &json) } })
  }

  func print(_ change: ReplayChange) {
    let before = change.before?.text ?? "-"
    let line = "\(change.subject.text): \(before) → \(change.after?.text ?? "gone")"
    Console.print("    \(TextTable.printable(line))")
  }

  private func printText(_ step: ReplayStep) {
    let event = step.event.event
    var title = "\(step.event.position)  \(event.occurredAt.rfc3339)  \(event.type.text)"
    for name in [event.account, event.product, event.transaction ?? event.payment, event.download] {
      if let name { title += "  \(name.text)" }
    }
    Console.print(Console.bold(TextTable.printable(title)))
    for change in step.changes { print(change) }
    for finding in step.broken { printText("breaks", finding, step) }
    for finding in step.settled { printText("settles", finding, step) }
  }

  private func printText(_ verb: String, _ finding: FindingAnswer, _ step: ReplayStep) {
    var line = "\(verb) \(finding.rule.id) (\(finding.severity.text))"
    if finding.position != step.event.position { line += " at position \(finding.position)" }
    if finding.concerns != "-" { line += ": \(finding.concerns)" }
    let text = TextTable.printable(line)
    let isBad = verb == "breaks" && finding.severity >= .error
    Console.print("    ! " + (isBad ? Console.red(text) : text))
  }
}

extension ReplaySubject {
  /// What it is, for people.
  fileprivate var text: String {
    var text = "\(kind.rawValue) \(name.text)"
    if let transaction {
      text += kind == .download ? " of \(transaction.text)" : " of original \(transaction.text)"
    }
    if let account { text += " of \(account.text)" }
    if let device { text += " on \(device.text)" }
    if environment != .production { text += " in \(environment.text)" }
    return text
  }
}

extension ReplayStep {
  fileprivate var json: String {
    var json = JSONText()
    json.object { json in
      json.member("position", event.position)
      json.key("event")
      json.raw(String(decoding: EventEncoder().encode(event), as: UTF8.self))
      json.member(
        "changes",
        array: { json in for change in changes { change.write(to: &json) } })
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
