public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

extension LedgerView {
  /// Returns the reason why a customer has, or does not have, a product or an entitlement: a
  /// minimal set of events that decides it, on either clock.
  ///
  /// For an earlier position, the explanation also contains what the ledger has learned since then
  /// about the same store time.
  ///
  /// - Complexity: O(*k* log *n*) folds of the customer's unit, for *k* steps. The size of the
  ///   ledger matters only for lookups of names and positions.
  /// - Throws: ``LedgerError``.
  public func explain(
    _ name: Name, for account: Name, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now, now: Instant
  ) throws(LedgerError) -> Explanation {
    guard let asOf = clocks.asOf else {
      return try explain(name, account, environments, at: clocks.at, now, upTo: position)
    }
    let end = try position(asOf)
    var explanation = try explain(name, account, environments, at: clocks.at, now, upTo: end)
    // The same store time, with everything in the ledger.
    let known = try explain(name, account, environments, at: explanation.at, now, upTo: position)
    if known.isHeld != explanation.isHeld || known.holdings != explanation.holdings {
      explanation.learned = .init(
        position: position, isHeld: known.isHeld, holdings: known.holdings,
        steps: known.steps.filter { $0.event.position > end })
    }
    return explanation
  }

  private func explain(
    _ name: Name, _ account: Name, _ environments: [StoreEnvironment], at: Instant?, _ now: Instant,
    upTo end: UInt64
  ) throws(LedgerError) -> Explanation {
    Explanation(
      of: name, for: account, in: try events(connectedWith: account, upTo: end),
      environments: environments, at: at, now: now, position: end)
  }
}
