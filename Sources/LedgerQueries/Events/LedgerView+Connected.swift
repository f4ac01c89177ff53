package import LedgerEvents
package import LedgerModel
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
    let clocks = Clocks(asOf: .position(end))
    return try events(at: try facts(connectedWith: account, at: clocks).map(\.position))
  }

  /// The facts of the events that are connected with an account, and of those of the shared
  /// context, as the clocks include them, in the order of their positions.
  ///
  /// - Parameter moment: The store time, in microseconds, of a question about what the account has,
  ///   if only facts on which its answer depends are needed.
  /// - Complexity: O(*n*) in their number.
  /// - Throws: ``LedgerError``.
  package func facts(
    connectedWith account: Name, at clocks: Clocks, entitlementsAt moment: Int64? = nil
  ) throws(LedgerError) -> [Fact] {
    guard let number = try number(of: .account, account),
      let unit = try unitNumber(of: number)
    else { return [] }
    let facts = try facts(of: unit, at: clocks, entitlementsAt: moment)
    return facts.merged(with: try contextFacts(at: clocks))
  }

  /// The events at some positions.
  ///
  /// - Complexity: O(*k* log *n*) for *k* positions.
  /// - Throws: ``LedgerError``.
  package func events(at positions: some Sequence<UInt64>) throws(LedgerError) -> [RecordedEvent] {
    var events: [RecordedEvent] = []
    for position in positions { events.append(try log.event(at: position)) }
    return events
  }
}
