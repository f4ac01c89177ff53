import LedgerEvents

/// Whose the purchases of a receipt are.
struct ReceiptOwnership {
  /// `transaction.assigned`, one where nothing else says whose a chain is.
  var assignments: [Event] = []
  var claims: [ReceiptClaim] = []
  var unownedCount = 0

  /// Purchases that the account held and that were transferred since, by their holder.
  private var transferred: [(holder: KnownPurchases.Holder, account: Name, names: [Name])] = []

  mutating func leave(_ transaction: Name, of account: Name, to holder: KnownPurchases.Holder) {
    let place = transferred.firstIndex { $0.holder == holder && $0.account == account }
    if let place {
      transferred[place].names.append(transaction)
    } else {
      transferred.append((holder, account, [transaction]))
    }
  }

  var warnings: [String] {
    transferred.map { left in
      let what =
        left.names.count == 1
        ? "transaction \(left.names[0]) was" : "\(left.names.count) transactions were"
      let whose =
        switch left.holder {
        case .customer(let ids): "now \(ids[0])'s"
        case .forgotten: "nobody's now"
        }
      return "\(what) \(left.account)'s and \(left.names.count == 1 ? "is" : "are") \(whose): the "
        + "import leaves it so"
    }
  }

  mutating func claim(_ transaction: Name, by account: Name, _ cause: ReceiptClaim.Cause) {
    let place = claims.firstIndex { $0.account == account && $0.cause == cause }
    if let place {
      claims[place].transactions.append(transaction)
    } else {
      claims.append(ReceiptClaim(account: account, cause: cause, transactions: [transaction]))
    }
  }
}

/// A purchase that was named for an account and belongs to another customer.
private struct ForeignPurchase {
  let purchase: ReceiptTransaction
  let account: Name
  let holder: KnownPurchases.Holder
}

/// Who holds what, as far as the ledger and this receipt say.
private struct Holders {
  let known: KnownPurchases
  private var byTransaction: [Name: KnownPurchases.Transaction] = [:]
  /// By original, the holders of its transactions in the order of their first events: a transaction
  /// that states no account goes to the first of them.
  private var byOriginal: [Name: [KnownPurchases.Holder]] = [:]
  private var statedByOriginal: [Name: Set<Name>] = [:]

  init(_ known: KnownPurchases) {
    self.known = known
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

  /// The chain of a transaction: the ledger's, else the receipt's.
  func original(of transaction: Name, stated: Name) -> Name {
    byTransaction[transaction]?.original ?? stated
  }

  func holder(of transaction: Name) -> KnownPurchases.Holder? { byTransaction[transaction]?.holder }

  func holders(ofChain original: Name) -> [KnownPurchases.Holder] { byOriginal[original] ?? [] }

  func isHeld(by account: Name, _ holder: KnownPurchases.Holder) -> Bool {
    guard case .customer(let ids) = holder else { return false }
    return ids.contains { known.areOneCustomer($0, account) }
  }

  /// Whether the account held the chain before it was transferred.
  func wasHeld(by account: Name, _ original: Name) -> Bool {
    statedByOriginal[original]?.contains(account) == true
  }
}

extension Receipt {
  /// Says whose the purchases are that nobody owns yet, and refuses those that are another's.
  ///
  /// Facts name no account; a `transaction.assigned` does, on the first transaction of a chain that
  /// has no holder. The others of the chain follow it by the model, and so do later renewals, also
  /// after a transfer.
  ///
  /// - Throws: `ImportError` of code `ownedByAnother`.
  func ownership(
    _ known: KnownPurchases, recordsClaims: Bool
  ) throws(ImportError) -> ReceiptOwnership {
    var ownership = ReceiptOwnership()
    var holders = Holders(known)
    let before = holders
    var others: [ForeignPurchase] = []
    for (purchase, purchasedAt) in try datedPurchases() {
      let name = Name(purchase.transaction)
      let original = holders.original(of: name, stated: Name(try purchase.original()))
      // A copy that the family shares has an owner of its own.
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
        guard !before.wasHeld(by: account, original) else {
          ownership.leave(name, of: account, to: owner)
          continue
        }
        ownership.claim(name, by: account, .owned)
        others.append(ForeignPurchase(purchase: purchase, account: account, holder: owner))
        continue
      }
      if before.holder(of: name) != nil { continue }
      let follows = holders.holders(ofChain: original).first
      if let follows, holders.isHeld(by: account, follows) { continue }
      ownership.assignments.append(assigned(purchase, to: account, at: purchasedAt, original))
      holders.add(.customer([account]), to: original)
    }
    if !others.isEmpty && !recordsClaims { throw Self.ownedByAnother(others) }
    return ownership
  }

  private func datedPurchases() throws(ImportError) -> [(ReceiptTransaction, Instant)] {
    var dated: [(purchase: ReceiptTransaction, date: Instant)] = []
    for purchase in purchases { dated.append((purchase, try purchase.purchasedAt())) }
    return dated.sorted {
      ($0.date, Name($0.purchase.transaction)) < ($1.date, Name($1.purchase.transaction))
    }
  }

  /// The account that counts, and another one that was named beside it.
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

  private static func ownedByAnother(_ others: [ForeignPurchase]) -> ImportError {
    let (purchase, account) = (others[0].purchase, others[0].account)
    var reason = "transaction \(purchase.transaction) (\(purchase.product)) "
    var remedy = "An import changes no owner. "
    switch others[0].holder {
    case .customer(let ids):
      let owner = ids[0]
      reason += "belongs to \(owner), not to \(account)"
      remedy +=
        "Link the two where they are one customer (daybook link \(account) \(owner)), transfer "
        + "what \(owner) has (daybook transfer \(owner) \(account)), or say --claim to record the "
        + "claim without effect"
    case .forgotten:
      reason += "belonged to a customer who was erased, and is nobody's"
      remedy += "Say --claim to record the claim of \(account) without effect"
    }
    if others.count > 1 { reason += "; so do \(others.count - 1) more of the receipt" }
    return ImportError(.ownedByAnother, path: purchase.path, reason: reason, remedy: remedy)
  }
}
