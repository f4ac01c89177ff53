import LedgerEvents

/// The owners of the purchases of a receipt.
struct ReceiptOwnership {
  /// One `transaction.assigned` for each chain that has no other owner.
  var assignments: [Event] = []
  var claims: [ReceiptClaim] = []
  var unownedCount = 0

  /// Purchases that the account held before they were transferred, by their current holder.
  private var transferred: [(holder: KnownPurchases.Holder, account: Name, names: [Name])] = []

  mutating func leave(_ transaction: Name, of account: Name, to holder: KnownPurchases.Holder) {
    let index = transferred.firstIndex { $0.holder == holder && $0.account == account }
    if let index {
      transferred[index].names.append(transaction)
    } else {
      transferred.append((holder, account, [transaction]))
    }
  }

  /// The transactions whose customer was erased.
  var forgotten: Set<Name> {
    Set(transferred.lazy.filter { $0.holder == .forgotten }.flatMap(\.names))
  }

  var warnings: [String] {
    transferred.map { left in
      let isOne = left.names.count == 1
      let what =
        isOne ? "transaction \(left.names[0])" : "\(left.names.count) transactions"
      let whose =
        switch left.holder {
        case .customer(let ids):
          "\(isOne ? "was" : "were") \(left.account)'s and now \(isOne ? "belongs" : "belong") to "
            + "\(ids[0])"
        // Not whose: the file can name who was erased.
        case .forgotten:
          "belonged to a customer who was erased, and \(isOne ? "has" : "have") no owner now"
        }
      return "\(what) \(whose); the import does not change that"
    }
  }

  mutating func claim(_ transaction: Name, by account: Name, _ cause: ReceiptClaim.Cause) {
    let index = claims.firstIndex { $0.account == account && $0.cause == cause }
    if let index {
      claims[index].transactions.append(transaction)
    } else {
      claims.append(ReceiptClaim(account: account, cause: cause, transactions: [transaction]))
    }
  }
}

/// A purchase that was claimed for an account but belongs to another customer.
private struct ForeignPurchase {
  let purchase: ReceiptTransaction
  let account: Name
  let holder: KnownPurchases.Holder
}

extension Receipt {
  /// Assigns the purchases that nobody owns yet, and refuses those that belong to another customer.
  ///
  /// Facts do not name an account. A `transaction.assigned` does, for the first transaction of a
  /// chain that has no holder. The rest of the chain follows it by the model, and so do later
  /// renewals, even after a transfer. A transaction that is older than that and arrives later has
  /// one of its own.
  ///
  /// - Parameter remedy: What to do about another owner, if not to transfer what that one has. The
  ///   receipt is then not the store's: it names whoever held a purchase, and the first counts.
  /// - Throws: `ImportError` with the code `ownedByAnother`.
  func ownership(
    _ known: KnownPurchases, recordsClaims: Bool, remedy: String? = nil
  ) throws(ImportError) -> ReceiptOwnership {
    var ownership = ReceiptOwnership()
    var holders = Holders(known)
    var others: [ForeignPurchase] = []
    for (purchase, purchasedAt, token) in try datedPurchases(isByStore: remedy == nil) {
      let name = Name(purchase.transaction)
      let original = holders.original(of: name, stated: Name(try purchase.original()))
      // A family-shared copy has its own owner.
      let isShared = try purchase.isFamilyShared()
      // What the file has stated so far counts as what earlier files did: one file of several
      // statements ends as several files do.
      let owners =
        holders.holder(of: name).map { [$0] }
        ?? (isShared ? [] : holders.holders(ofChain: original))
      let (account, other) = accounts(token)
      guard let account else {
        if owners.isEmpty && holders.holders(ofChain: original).isEmpty {
          ownership.unownedCount += 1
        }
        continue
      }
      // What was erased stays nobody's, and nothing about it is kept under the customer's name.
      if !owners.isEmpty, owners.allSatisfy({ $0 == .forgotten }) {
        ownership.leave(name, of: account, to: .forgotten)
        continue
      }
      if let other, !known.areOneCustomer(account, other),
        !owners.contains(where: { holders.isHeld(by: other, $0) })
      {
        ownership.claim(
          name, by: other,
          options.isAccountOverToken ? .importNamesAnother : .receiptStatesAnother)
      }
      if let owner = owners.first, !owners.contains(where: { holders.isHeld(by: account, $0) }) {
        // Whoever held it in this file has given it away since, to this account.
        if holders.isPassedOn(inFile: original, to: account) { continue }
        let isPassedOn = owners.contains { holders.isPassedOn(purchasedAt, from: account, to: $0) }
        // The transfer moves it, once it is known whose it was before.
        if isPassedOn, !isShared, !holders.isStated(name) {
          ownership.assignments.append(assigned(purchase, to: account, at: purchasedAt, original))
          continue
        }
        guard !isPassedOn, !holders.wasHeld(by: account, original) else {
          ownership.leave(name, of: account, to: owner)
          continue
        }
        ownership.claim(name, by: account, .owned)
        others.append(ForeignPurchase(purchase: purchase, account: account, holder: owner))
        continue
      }
      let isOlder = !isShared && holders.isOlder(name, purchasedAt, original, of: account)
      if holders.holder(of: name) != nil && !isOlder { continue }
      let follows = holders.holders(ofChain: original).first
      if let follows, holders.isHeld(by: account, follows), !isOlder { continue }
      ownership.assignments.append(assigned(purchase, to: account, at: purchasedAt, original))
      holders.add(account, to: name, of: original, at: purchasedAt)
    }
    if !others.isEmpty && !recordsClaims { throw Self.ownedByAnother(others, remedy) }
    return ownership
  }

  /// Each purchase with its date, once for each account that statements about it name: the oldest
  /// statement first.
  private func datedPurchases(
    isByStore: Bool
  ) throws(ImportError) -> [(ReceiptTransaction, Instant, Name?)] {
    var dated: [(purchase: ReceiptTransaction, date: Instant, tokens: [Name])] = []
    for purchase in purchases {
      let tokens =
        try isByStore ? purchase.accountTokens() : purchase.accountToken().map { [$0] } ?? []
      dated.append((purchase, try purchase.purchasedAt(), tokens))
    }
    dated.sort {
      ($0.date, Name($0.purchase.transaction)) < ($1.date, Name($1.purchase.transaction))
    }
    var named: [(ReceiptTransaction, Instant, Name?)] = []
    for (purchase, date, tokens) in dated {
      if tokens.isEmpty { named.append((purchase, date, nil)) }
      for token in tokens { named.append((purchase, date, token)) }
    }
    return named
  }

  /// Returns the account that applies, and the other account if two were named.
  private func accounts(_ token: Name?) -> (account: Name?, other: Name?) {
    guard let token, let named = options.account, token != named else {
      return (token ?? options.account, nil)
    }
    return options.isAccountOverToken ? (named, token) : (token, named)
  }

  private func assigned(
    _ purchase: ReceiptTransaction, to account: Name, at time: Instant, _ original: Name
  ) -> Event {
    var data = EventData.Builder()
    data.set(
      "reason",
      account == options.account ? "named when the receipt was imported" : "app_account_token")
    var event = event(
      EventType(.transactionAssigned), named: "assigned", about: purchase.transaction, at: time,
      product: purchase.product, transaction: purchase.transaction, original: original.text, data,
      moments: [], varying: [])
    event.account = account
    return event
  }

  private static func ownedByAnother(
    _ others: [ForeignPurchase], _ special: String?
  ) -> ImportError {
    let (purchase, account) = (others[0].purchase, others[0].account)
    var reason = "transaction \(purchase.transaction) (\(purchase.product)) "
    var remedy = "An import never changes an owner. "
    switch others[0].holder {
    case .customer(let ids):
      let owner = ids[0]
      reason += "belongs to \(owner), not to \(account)"
      remedy +=
        "If they are one customer, link them (daybook link \(account) \(owner)); "
        + (special
          ?? "transfer what \(owner) has (daybook transfer \(owner) \(account))")
        + "; or pass --claim to record the claim without effect"
    case .forgotten: break
    }
    if others.count > 1 { reason += "; so do \(others.count - 1) more in the receipt" }
    return ImportError(.ownedByAnother, path: purchase.path, reason: reason, remedy: remedy)
  }
}
