package import LedgerEvents
internal import LedgerModel
package import LedgerStore

extension LedgerView {
  /// The environment that an event is folded in, from everything the ledger knows (`model.md`,
  /// *Environment*); `nil` if it counts in every environment.
  ///
  /// - Complexity: O(log *n*) if the event states it, otherwise O(*n*) in the event's unit, which
  ///   is folded once.
  /// - Throws: ``LedgerError``.
  package func environment(of position: UInt64) throws(LedgerError) -> StoreEnvironment? {
    try environment(of: try fact(at: position)) { (node) throws(LedgerError) in
      try unit(of: node)
    }
  }

  /// The environment that a fact is folded in, given the unit of a name by what is known; `nil` if
  /// it counts in every environment.
  func environment(
    of fact: Fact, _ unit: (NameNumber) throws(LedgerError) -> Unit?
  ) throws(LedgerError) -> StoreEnvironment? {
    if let stated = fact.environment { return stated }
    if fact.kind.countsInEveryEnvironment { return nil }
    guard let node = UnitNodes(fact).first, let unit = try unit(node) else { return .production }
    return unit.environment(of: fact)
  }
}
