package import LedgerEvents
internal import LedgerModel
package import LedgerStore

extension LedgerView {
  /// The events that can decide what an account has: all that are connected with it, and those of
  /// the shared context, by position up to `end`. Empty if no event names the account.
  ///
  /// - Complexity: O(*n* log *n*) in these events, which are kept in memory.
  /// - Throws: ``LedgerError``.
  package func events(
    connectedWith account: Name, upTo end: UInt64
  ) throws(LedgerError) -> [RecordedEvent] {
    guard let number = try number(of: .account, account),
      let unit = try unitNumber(of: number)
    else { return [] }
    var positions: Set<UInt64> = []
    for facts in [try facts(of: unit), try contextFacts()] {
      for fact in facts where fact.position <= end { positions.insert(fact.position) }
    }
    var events: [RecordedEvent] = []
    for position in positions.sorted() { events.append(try log.event(at: position)) }
    return events
  }
}
