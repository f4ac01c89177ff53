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

  var warnings: [String] {
    transferred.map { left in
      let isOne = left.names.count == 1
      let what =
        isOne ? "transaction \(left.names[0]) was" : "\(left.names.count) transactions were"
      let whose =
        switch left.holder {
        case .customer(let ids): "now \(isOne ? "belongs" : "belong") to \(ids[0])"
        case .forgotten: "now \(isOne ? "has" : "have") no owner"
        }
      return "\(what) \(left.account)'s and \(whose); the import does not change that"
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

/// The holders of transactions, as far as the ledger and this receipt state them.
private struct Holders {
  let known: KnownPurchases
  private var byTransaction: [Name: KnownPurchases.Transaction] = [:]
  /// For each original transaction, the holders of the chain's transactions in the order of their
  /// first events. A transaction that states no account goes to the first of them.
  private var byOriginal: [Name: [KnownPurchases.Holder]] = [:]
  private var statedByOriginal: [Name: Set<Name>] = [:]
  private var statedSince: [Name: Instant]

  init(_ known: KnownPurchases) {
    self.known = known
    statedSince = known.statedSince
    for transaction in known.transactions {
      byTransaction[transaction.transaction] = transaction
      if let holder = transaction.holder { add(holder, to: transaction.original) }
      if let account = transaction.statedAccount {
        statedByOriginal[transaction.original, default: []].insert(account)
      }
    }
  }

  mutating func add(_ holder: KnownPurchases.Holder, to original: Name) {
    if byOriginal[original]?.contains(holder) != true {
      byOriginal[original, default: []].append(holder)
    }
  }

  /// Returns the chain of a transaction by the ledger, else by the receipt.
  func original(of transaction: Name, stated: Name) -> Name {
    byTransaction[transaction]?.original ?? stated
  }

  func holder(of transaction: Name) -> KnownPurchases.Holder? { byTransaction[transaction]?.holder }

  func holders(ofChain original: Name) -> [KnownPurchases.Holder] { byOriginal[original] ?? [] }

  func isHeld(by account: Name, _ holder: KnownPurchases.Holder) -> Bool {
    guard case .customer(let ids) = holder else { return false }
    return ids.contains { known.areOneCustomer($0, account) }
  }

  /// Returns whether a transaction that no event assigns is older than every event that says whose
  /// its chain is, and all of them name this account. Questions about the time in between would
  /// not know the owner.
  func isOlder(
    _ transaction: Name, _ purchasedAt: Instant, _ original: Name, of account: Name
  ) -> Bool {
    guard byTransaction[transaction]?.statedAccount == nil, let since = statedSince[original],
      purchasedAt < since
    else { return false }
    return statedByOriginal[original] == [account]
  }

  mutating func state(_ original: Name, since time: Instant) {
    statedSince[original] = min(time, statedSince[original] ?? time)
  }

  /// Returns whether what the account bought went to the holder by known transfers.
  func isPassedOn(
    _ purchasedAt: Instant, from account: Name, to holder: KnownPurchases.Holder
  ) -> Bool {
    guard case .customer(let ids) = holder else { return false }
    return known.passed(from: account, to: ids, since: purchasedAt)
  }

  /// Returns whether events of the transaction itself state an account.
  func isStated(_ transaction: Name) -> Bool { byTransaction[transaction]?.statedAccount != nil }

  /// Returns whether the account held the chain before it was transferred.
  func wasHeld(by account: Name, _ original: Name) -> Bool {
    statedByOriginal[original]?.contains(account) == true
  }
}

extension Receipt {
  /// Assigns the purchases that nobody owns yet, and refuses those that belong to another customer.
  ///
  /// Facts do not name an account. A `transaction.assigned` does, for the first transaction of a
  /// chain that has no holder. The rest of the chain follows it by the model, and so do later
  /// renewals, even after a transfer. A transaction that is older than that and arrives later has
  /// one of its own.
  ///
  /// - Parameter remedy: What to do about another owner, if not to transfer what that one has.
  /// - Throws: `ImportError` with the code `ownedByAnother`.
  func ownership(
    _ known: KnownPurchases, recordsClaims: Bool, remedy: String? = nil
  ) throws(ImportError) -> ReceiptOwnership {
    var ownership = ReceiptOwnership()
    var holders = Holders(known)
    let before = holders
    var others: [ForeignPurchase] = []
    for (purchase, purchasedAt) in try datedPurchases() {
      let name = Name(purchase.transaction)
      let original = holders.original(of: name, stated: Name(try purchase.original()))
      // A family-shared copy has its own owner.
      let isShared = try purchase.isFamilyShared()
      let owners =
        before.holder(of: name).map { [$0] } ?? (isShared ? [] : before.holders(ofChain: original))
      let (account, other) = try accounts(of: purchase)
      guard let account else {
        if owners.isEmpty && holders.holders(ofChain: original).isEmpty {
          ownership.unownedCount += 1
        }
        continue
      }
      if let other, !known.areOneCustomer(account, other),
        !owners.contains(where: { before.isHeld(by: other, $0) })
      {
        ownership.claim(
          name, by: other,
          options.isAccountOverToken ? .importNamesAnother : .receiptStatesAnother)
      }
      if let owner = owners.first, !owners.contains(where: { before.isHeld(by: account, $0) }) {
        let isPassedOn = owners.contains { before.isPassedOn(purchasedAt, from: account, to: $0) }
        // The transfer moves it, once it is known whose it was before.
        if isPassedOn, !isShared, !before.isStated(name) {
          ownership.assignments.append(assigned(purchase, to: account, at: purchasedAt, original))
          continue
        }
        guard !isPassedOn, !before.wasHeld(by: account, original) else {
          ownership.leave(name, of: account, to: owner)
          continue
        }
        ownership.claim(name, by: account, .owned)
        others.append(ForeignPurchase(purchase: purchase, account: account, holder: owner))
        continue
      }
      let isOlder = !isShared && holders.isOlder(name, purchasedAt, original, of: account)
      if before.holder(of: name) != nil && !isOlder { continue }
      let follows = holders.holders(ofChain: original).first
      if let follows, holders.isHeld(by: account, follows), !isOlder { continue }
      ownership.assignments.append(assigned(purchase, to: account, at: purchasedAt, original))
      holders.add(.customer([account]), to: original)
      holders.state(original, since: purchasedAt)
    }
    if !others.isEmpty && !recordsClaims { throw Self.ownedByAnother(others, remedy) }
    return ownership
  }

  private func datedPurchases() throws(ImportError) -> [(ReceiptTransaction, Instant)] {
    var dated: [(purchase: ReceiptTransaction, date: Instant)] = []
    for purchase in purchases { dated.append((purchase, try purchase.purchasedAt())) }
    return dated.sorted {
      ($0.date, Name($0.purchase.transaction)) < ($1.date, Name($1.purchase.transaction))
    }
  }

  /// Returns the account that applies, and the other account if two were named.
  private func accounts(
    of purchase: ReceiptTransaction
  ) throws(ImportError) -> (account: Name?, other: Name?) {
    let token = try purchase.accountToken()
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
    case .forgotten:
      reason += "belonged to a customer who was erased, and has no owner now"
      remedy += "Pass --claim to record the claim of \(account) without effect"
    }
    if others.count > 1 { reason += "; so do \(others.count - 1) more in the receipt" }
    return ImportError(.ownedByAnother, path: purchase.path, reason: reason, remedy: remedy)
  }
}
