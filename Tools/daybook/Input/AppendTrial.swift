import LedgerEvents
import LedgerQueries

/// An append that writes nothing: events are compared with the ledger and with each other.
///
/// It does not check what only a commit can judge: conditions, and whether a balance covers a
/// required consumption.
final class AppendTrial {
  /// `nil` if there is no ledger yet.
  private let ledger: Ledger?
  private var accepted: [Name: Event] = [:]

  init(_ ledger: Ledger?) { self.ledger = ledger }

  /// The outcome for a batch of events.
  struct Outcome {
    /// For each event, whether it is already in the ledger or earlier in the input.
    var areKnown: [Bool] = []
    var unknownTypes = 0
  }

  /// Accepts events as if they were appended.
  ///
  /// - Throws: `LedgerError` with the index of the first event that would be refused.
  func take(_ inputs: [EventInput]) throws(LedgerError) -> Outcome {
    var stored: [RecordedEvent?] = inputs.map { _ in nil }
    if let ledger {
      stored = try ledger.read { (view) throws(LedgerError) in
        var found: [RecordedEvent?] = []
        for input in inputs { found.append(try view.event(withID: input.event.id)) }
        return found
      }
    }
    // As in a ledger, nothing of a refused batch is kept.
    var taken: [Name: Event] = [:]
    var outcome = Outcome()
    for (index, input) in inputs.enumerated() {
      let event = input.event
      let known = stored[index]?.event ?? accepted[event.id] ?? taken[event.id]
      if let known, !known.sameContent(as: event) {
        let use = stored[index].map { "is already used at position \($0.position)" }
        throw LedgerError(
          .conflict,
          "The id \(event.id) \(use ?? "is already used on an earlier line") by an event with "
            + "other content: give this event a new id.",
          index: index, position: stored[index]?.position)
      }
      outcome.areKnown.append(known != nil)
      if known == nil {
        taken[event.id] = event
        if event.type.kind == .unknown { outcome.unknownTypes += 1 }
      }
    }
    accepted.merge(taken) { first, _ in first }
    return outcome
  }
}
