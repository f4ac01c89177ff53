public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// A customer who has a product or an entitlement.
public struct HolderAnswer: Sendable {
  public var account: Name
  public var product: Name?
  public var entitlement: Name?
  public var state: EntitlementState
  public var since: Instant
  public var expiresAt: Instant?
  public var environment: StoreEnvironment
}

extension LedgerView {
  /// Passes the customers who have a product or entitlement of this name to `body`, one account at
  /// a time. Stops when `body` returns false.
  ///
  /// - Complexity: O(*n*) in the ledger's units, or as `eachUnit(at:_:_:)` for the past.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func holders(
    of name: Name, environments: [StoreEnvironment] = [.production], clocks: Clocks = .now,
    now: Instant, _ body: (HolderAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let question = HoldersQuestion(
      name: name, environments: EnvironmentSet(environments), clocks: clocks, now: now)
    let context = try context(at: clocks)
    try eachUnit(at: clocks, context) { (unit) throws(LedgerError) in
      try holders(question, in: unit, context, body)
    }
  }

  private func holders(
    _ question: HoldersQuestion, in unit: Unit, _ context: SharedContext,
    _ body: (HolderAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    let unit = unit.indexedByHolder()
    for account in unit.knownAccounts {
      let answer = unit.answer(
        .account(account), environments: question.environments,
        at: question.moment(of: account, in: unit), context: context, texts: texts)
      for entry in answer.entries {
        let product = try text(entry.product)
        guard
          product == question.name || entry.entitlement == question.name
            || entry.entitlements.contains(question.name)
        else { continue }
        let holder = HolderAnswer(
          account: try text(of: account), product: product, entitlement: entry.entitlement,
          state: entry.state, since: Instant(microseconds: entry.since),
          expiresAt: entry.expiresAt.map(Instant.init(microseconds:)),
          environment: entry.environment)
        if try !body(holder) { return false }
      }
    }
    try texts.check()
    return true
  }
}

/// The question asked of each unit.
private struct HoldersQuestion {
  let name: Name
  let environments: EnvironmentSet
  let clocks: Clocks
  let now: Instant

  func moment(of account: NameNumber, in unit: Unit) -> Int64 {
    if let at = clocks.at { return at.microseconds }
    let newest = unit.newestEvent(of: .account(account), environments: environments)
    return max(now.microseconds, newest ?? .min)
  }
}
