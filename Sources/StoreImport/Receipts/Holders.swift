import LedgerEvents

/// The holders of transactions, as far as the ledger and this receipt state them.
struct Holders {
  let known: KnownPurchases
  private var byTransaction: [Name: KnownPurchases.Transaction] = [:]
  /// For each original transaction, the holders of the chain's transactions in the order of their
  /// first events. A transaction that states no account goes to the first of them.
  private var byOriginal: [Name: [KnownPurchases.Holder]] = [:]
  private var statedByOriginal: [Name: Set<Name>] = [:]
  private var statedSince: [Name: Instant]
  /// Who held a transaction, and a chain, by what this receipt states, and since when.
  private var inFile: [Name: KnownPurchases.Holder] = [:]
  private var firstInFile: [Name: (account: Name, since: Instant)] = [:]

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

  /// Adds what the receipt states of a transaction.
  mutating func add(_ account: Name, to transaction: Name, of original: Name, at time: Instant) {
    inFile[transaction] = .customer([account])
    if byOriginal[original] == nil { firstInFile[original] = (account, time) }
    add(.customer([account]), to: original)
    statedSince[original] = min(time, statedSince[original] ?? time)
  }

  /// Returns whether a chain that nobody held before was given to an account by known transfers,
  /// since this receipt states an owner.
  func isPassedOn(inFile original: Name, to account: Name) -> Bool {
    guard let first = firstInFile[original] else { return false }
    return known.passed(from: first.account, to: [account], since: first.since)
  }

  private mutating func add(_ holder: KnownPurchases.Holder, to original: Name) {
    if byOriginal[original]?.contains(holder) != true {
      byOriginal[original, default: []].append(holder)
    }
  }

  /// Returns the chain of a transaction by the ledger, else by the receipt.
  func original(of transaction: Name, stated: Name) -> Name {
    byTransaction[transaction]?.original ?? stated
  }

  func holder(of transaction: Name) -> KnownPurchases.Holder? {
    byTransaction[transaction]?.holder ?? inFile[transaction]
  }

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
