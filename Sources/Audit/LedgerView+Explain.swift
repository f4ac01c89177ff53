public import LedgerEvents
internal import LedgerModel
public import LedgerStore

extension LedgerView {
  /// Why a customer has, or has not, a product or an entitlement: the smallest set of events that
  /// decides it, on either clock.
  ///
  /// - Complexity: O(*k* log *n*) folds of the customer's unit, for *k* steps; the size of the
  ///   ledger counts by the look-ups of names and positions only.
  /// - Throws: ``LedgerError``.
  public func explain(
    _ name: Name, for account: Name, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now, now: Instant
  ) throws(LedgerError) -> Explanation {
    var end = position
    if let asOf = clocks.asOf { end = try position(asOf) }
    let events = try events(connectedWith: account, upTo: end)
    return Explanation(
      of: name, for: account, in: events, environments: environments, at: clocks.at, now: now,
      position: end)
  }
}
