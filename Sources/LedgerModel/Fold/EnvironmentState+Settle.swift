import LedgerEvents

extension EnvironmentState {
  /// Notes the original, owner and product of a transaction if a fact is the first to state them.
  mutating func settle(
    root: NameNumber, original: NameNumber, owner: NameNumber, product: NameNumber
  ) {
    let index = indexOfTransaction(root)
    if transactions[index].statedOriginal == 0 { transactions[index].statedOriginal = original }
    if transactions[index].owner == 0 { transactions[index].owner = owner }
    if transactions[index].product == 0 { transactions[index].product = product }
  }

  /// Settles the same for the next fact in the fold order. Returns false if what it states changes
  /// facts of the transaction, or of its chain, that were already folded.
  mutating func settleForward(_ fact: Fact, root: NameNumber) -> Bool {
    let known = transactionIndex.find(UInt64(root))
    if known >= 0 {
      return (fact.original == 0 || transactions[known].statedOriginal != 0)
        && (fact.account == 0 || transactions[known].owner != 0)
        && (fact.product == 0 || transactions[known].product != 0)
    }
    settle(
      root: root, original: fact.original, owner: fact.account, product: fact.product)
    let index = transactions.count - 1
    guard transactions[index].owner != 0 else { return true }
    let original = transactions[index].original
    if chainOwnerIndex.find(UInt64(original)) < 0 {
      let chain = chainIndex.find(UInt64(original))
      if chain >= 0 && chains[chain].hasHolderless { return false }
      appendChainOwner(index, original)
    }
    return true
  }

  /// Gives the transaction that was known by the fact's payment the number that the fact names: the
  /// normal order, because a payment has no transaction before it was paid. Returns false if more
  /// than its number would change, such as the findings about it.
  ///
  /// - Parameter counts: Whether the fact counts in this environment.
  /// - Complexity: O(1) on average; O(*f*) in the findings of the unit the first time after its
  ///   state was read.
  mutating func rename(_ fact: Fact, counts: Bool) -> Bool {
    let index = transactionIndex.lookUp(UInt64(fact.payment))
    if index < 0 { return true }
    let (payment, transaction) = (fact.payment, fact.transaction)
    guard counts, transactions[index].statedOriginal == 0, !transactions[index].hasPurchase,
      transactions[index].firstDownload == none,
      fact.original == 0 || fact.original == transaction,
      chainIndex.lookUp(UInt64(transaction)) < 0, chainOwnerIndex.lookUp(UInt64(transaction)) < 0,
      expiringIndex.lookUp(UInt64(transaction)) < 0, !isFound(payment)
    else { return false }
    transactions[index].number = transaction
    transactions[index].statedOriginal = fact.original
    transactionIndex.replace(at: index, with: UInt64(transaction))
    chainOwnerIndex.rename(payment, as: transaction)
    expiringIndex.rename(payment, as: transaction)
    let chain = chainIndex.rename(payment, as: transaction)
    if chain >= 0 { chains[chain].original = transaction }
    return true
  }

  /// Whether a fact says that its chain expires. A fact that names only an original is about the
  /// chain.
  static func statesExpiry(_ fact: Fact, root: NameNumber) -> Bool {
    guard let detail = fact.detail, detail.fields.expiresAt != Fact.absentTime else {
      return false
    }
    return root != 0 || (fact.original != 0 && fact.kind.isSubscriptionKind)
  }

  /// Notes the chain of a fact that states an expiry, once the originals are settled.
  mutating func settleExpiry(_ fact: Fact, root: NameNumber) {
    let index = root == 0 ? none : transactionIndex.find(UInt64(root))
    let original = index == none ? fact.original : transactions[index].original
    if expiringIndex.find(UInt64(original)) < 0 { _ = expiringIndex.append(UInt64(original)) }
  }

  /// Settles the same for the next fact. Returns false if the chain was folded as one without an
  /// expiry.
  mutating func settleExpiryForward(_ fact: Fact, root: NameNumber) -> Bool {
    guard Self.statesExpiry(fact, root: root) else { return true }
    let known = expiringIndex.keys.count
    settleExpiry(fact, root: root)
    if expiringIndex.keys.count == known { return true }
    let chain = chainIndex.find(expiringIndex.keys[known])
    return chain < 0 || chains[chain].firstPurchase == none
  }

  /// Finds, for each chain, the earliest transaction that states an account.
  mutating func settleChainOwners() {
    for index in transactions.indices where transactions[index].owner != 0 {
      let original = transactions[index].original
      if chainOwnerIndex.find(UInt64(original)) < 0 { appendChainOwner(index, original) }
    }
  }

  private mutating func appendChainOwner(_ index: Int, _ original: NameNumber) {
    _ = chainOwnerIndex.append(UInt64(original))
    chainOwners.append(index)
  }

  private mutating func indexOfTransaction(_ root: NameNumber) -> Int {
    let index = transactionIndex.find(UInt64(root))
    if index >= 0 { return index }
    transactions.append(TransactionState(number: root))
    return transactionIndex.append(UInt64(root))
  }

  /// The index of a chain, which is added if it is new.
  mutating func indexOfChain(_ original: NameNumber) -> Int {
    let index = chainIndex.find(UInt64(original))
    if index >= 0 { return index }
    chains.append(ChainState(original: original))
    return chainIndex.append(UInt64(original))
  }

  /// The index of a stated device, which is added if it is new.
  mutating func indexOfDevice(_ number: NameNumber) -> Int {
    let index = deviceIndex.find(UInt64(number))
    if index >= 0 { return index }
    devices.append(DeviceState(number: number))
    return deviceIndex.append(UInt64(number))
  }

  /// The first event of a transaction. The transaction joins its chain and gets its holder
  /// (`model.md` 1).
  mutating func begin(_ index: Int) {
    transactions[index].marks.insert(.begun)
    let original = transactions[index].original
    let chain = indexOfChain(original)
    transactions[index].chain = chain
    if chains[chain].lastTransaction == none {
      chains[chain].firstTransaction = index
    } else {
      transactions[chains[chain].lastTransaction].nextInChain = index
    }
    chains[chain].lastTransaction = index
    if transactions[index].owner != 0 {
      transactions[index].holder = customer(of: transactions[index].owner)
      return
    }
    let owning = chainOwnerIndex.find(UInt64(original))
    if owning < 0 {
      chains[chain].hasHolderless = true
      return
    }
    let source = transactions[chainOwners[owning]]
    transactions[index].holder = source.isBegun ? source.holder : customer(of: source.owner)
  }
}

extension KeyIndex {
  /// Replaces a name's key, and returns its index; `none` if it has none.
  @discardableResult
  fileprivate mutating func rename(_ name: NameNumber, as other: NameNumber) -> Int {
    let index = lookUp(UInt64(name))
    if index >= 0 { replace(at: index, with: UInt64(other)) }
    return index
  }
}
