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
    let fact = try fact(at: position)
    if let stated = fact.environment { return stated }
    if fact.kind.countsInEveryEnvironment { return nil }
    guard let node = UnitNodes(fact).first(where: { _ in true }),
      let unit = try unit(of: node)
    else { return .production }
    return unit.environment(of: fact)
  }
}
