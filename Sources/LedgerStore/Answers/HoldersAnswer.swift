public import LedgerEvents
public import LedgerModel

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
  /// The customers whose answer has a product, or an entitlement, of this name, one account at a
  /// time; stops where `body` returns false.
  ///
  /// - Complexity: O(*n*) in the ledger's units; holds one at a time where no clock is asked.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func holders(
    of name: Name, environments: [StoreEnvironment] = [.production], clocks: Clocks = .now,
    now: Instant, _ body: (HolderAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let set = EnvironmentSet(environments)
    let book = cuts(clocks) ? try book(clocks) : nil
    let context = book?.context ?? reader.overlay.context
    let visit = { (unit: Unit) throws(LedgerError) -> Bool in
      for account in unit.knownAccounts {
        var moment = clocks.at?.microseconds ?? now.microseconds
        if clocks.at == nil,
          let newest = unit.newestEvent(of: .account(account), environments: set)
        {
          moment = max(moment, newest)
        }
        let answer = unit.answer(
          .account(account), environments: set, at: moment, context: context,
          texts: reader.texts)
        for entry in answer.entries {
          let product = try text(entry.product)
          guard product == name || entry.entitlement == name || entry.entitlements.contains(name)
          else { continue }
          let holder = HolderAnswer(
            account: try text(of: account), product: product, entitlement: entry.entitlement,
            state: entry.state, since: Instant(microseconds: entry.since),
            expiresAt: entry.expiresAt.map(Instant.init(microseconds:)),
            environment: entry.environment)
          if try !body(holder) { return false }
        }
      }
      return true
    }
    if let book {
      for unit in book.units where try !visit(unit) { return }
    } else {
      try forEachUnit(visit)
    }
  }
}
