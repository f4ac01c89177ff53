import LedgerEvents
import LedgerQueries
package import Replay

/// A replay as one JSON document, piece by piece as the replay runs: each piece is a line.
package struct ReplayDocument {
  /// The first line.
  package static let begin = "{\"steps\":["
  /// The last line.
  package static let end = "}"

  private var steps = 0
  /// The state after the steps so far.
  private var state: [ReplaySubject: ReplayStanding] = [:]

  package init() {}

  /// The line of a step.
  package mutating func text(adding step: ReplayStep) -> String {
    defer { steps += 1 }
    for change in step.earlierChanges + step.changes { state[change.subject] = change.after }
    return (steps == 0 ? "" : ",") + step.json
  }

  /// The line that follows the steps: the findings, and the state at the end.
  package func text(of outcome: ReplayOutcome) -> String {
    var json = JSONText()
    json.object { json in
      json.member("findings", outcome.findings)
      json.member("findingsAtTheEnd", outcome.findingsAtTheEnd)
      let lines = state.sorted { $0.key < $1.key }
      json.member("state", each: lines) { json, line in
        ReplayLine(subject: line.key, standing: line.value).write(to: &json)
      }
    }
    // The document began with the steps. Its other members follow them.
    return "]," + json.text.dropFirst().dropLast()
  }

  /// The line that follows the outcome if events were edited.
  package static func text(of difference: OutcomeDifference, _ edited: EditedEvents) -> String {
    "," + difference.json(of: edited).dropFirst().dropLast()
  }
}

extension ReplayStep {
  /// The step as an object.
  package var json: String {
    var json = JSONText()
    json.object { json in
      json.member("position", event.position)
      json.key("event")
      json.raw(String(decoding: EventEncoder().encode(event), as: UTF8.self))
      json.member("note", note)
      json.member("earlierChanges", each: earlierChanges) { $1.write(to: &$0) }
      json.member("changes", each: changes) { $1.write(to: &$0) }
      json.member("broken", broken)
      json.member("settled", settled)
    }
    return json.text
  }
}

extension OutcomeDifference {
  /// What was edited, and how the outcome differs because of it, as an object.
  package func json(of edited: EditedEvents) -> String {
    var json = JSONText()
    json.object { json in
      json.member("edits", each: edited.notes) { json, note in
        json.object { json in
          json.member("edit", note.text)
          json.member("events", each: note.positions) { json, event in
            json.object { json in
              json.member("position", event.position)
              json.member("occurredAt", event.occurredAt.rfc3339)
            }
          }
        }
      }
      json.member(
        "difference",
        object: { json in
          json.member("gone", gone)
          json.member("new", new)
          json.member("changed", each: changes) { $1.write(to: &$0) }
        })
    }
    return json.text
  }
}

extension ReplayChange {
  /// Writes it as an object.
  package func write(to json: inout JSONText) {
    json.object { json in
      subject.writeMembers(to: &json)
      json.member("before", before?.text)
      json.member("after", after?.text)
    }
  }
}

extension ReplayLine {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      subject.writeMembers(to: &json)
      json.member("standing", standing.text)
    }
  }
}

extension ReplaySubject {
  fileprivate func writeMembers(to json: inout JSONText) {
    json.member("kind", kind.rawValue)
    json.member("name", name)
    json.member("environment", environment.text)
    json.member("account", account)
    json.member("transaction", transaction)
    json.member("device", device)
  }
}

extension JSONText {
  fileprivate mutating func member(_ name: String, _ findings: [FindingAnswer]) {
    member(name, each: findings) { $1.write(to: &$0) }
  }
}
