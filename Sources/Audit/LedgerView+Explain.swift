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
  /// - Complexity: O(*n*) in the facts of the customer's unit, and O(*k* log *m*) folds of the *m*
  ///   facts that can decide, for *k* steps. The size of the ledger matters only for lookups of
  ///   names and positions.
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
    let facts = try facts(
      connectedWith: account, at: Clocks(at: at, asOf: .position(end)),
      entitlementsAt: (at ?? now).microseconds)
    let timeline = ExplainedTimeline(
      facts.inFoldOrder(texts),
      about: .init(
        account: try number(of: .account, account) ?? 0, name: name,
        product: try number(of: .product, name) ?? 0, now: at ?? now), texts)
    try texts.check()
    // Only what has to be tried is read as an event.
    let events = try events(at: timeline.triedPositions.sorted())
    return Explanation(
      of: name, for: account, in: ExplainedHistory(timeline, events), environments: environments,
      at: at, now: now, position: end)
  }
}
