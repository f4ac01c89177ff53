import LedgerEvents

/// Indexes over the tables of an environment, which spare a fold walks over whole tables. They are
/// derived from the tables when they are first needed, and never stored.
///
/// Short tables are walked, which is faster than an index.
struct FoldIndexes: Sendable {
  /// Longer tables and chains are indexed.
  static let walkedCountMax = 16

  /// By chain: the holders of the transactions that its customers bought themselves, each once.
  private var buyers: [Int: [Holder]] = [:]
  /// By product: the chains whose first purchase is of it.
  private var chainsByProduct: [NameNumber: [Int]]?
  /// By restore: the deliveries that may belong to it.
  private var deliveriesByRestore: [UInt64: [Int]]?
  private var found = FoundTransactions()

  /// Transactions that findings name. The tables of findings only grow, so it is known how far they
  /// are in the index.
  private struct FoundTransactions {
    var numbers: Set<NameNumber> = []
    var findingCount = 0
    var lateFindingCount = 0
    var publishedCount = 0
    var digestCount = 0
  }
}

// MARK: - Buyers

extension FoldIndexes {
  /// The holders of the transactions of a chain that its customers bought themselves; `nil` if they
  /// are not indexed.
  func buyers(ofChain chain: Int) -> [Holder]? {
    buyers.isEmpty ? nil : buyers[chain]
  }

  mutating func setBuyers(_ holders: [Holder], ofChain chain: Int) {
    buyers[chain] = holders.reduce(into: []) { each, holder in
      if !each.contains(holder) { each.append(holder) }
    }
  }

  /// Adds the holder of a transaction that its customer bought.
  mutating func addBuyer(_ holder: Holder, toChain chain: Int) {
    guard let known = buyers(ofChain: chain), !known.contains(holder) else { return }
    buyers[chain]?.append(holder)
  }

  /// Forgets what depends on who holds transactions.
  mutating func holdersChanged() { buyers.removeAll() }
}

// MARK: - Chains by product

extension FoldIndexes {
  /// The chains whose first purchase is of a product.
  ///
  /// - Complexity: O(1); the first time O(*n*) in the chains.
  mutating func chains(of product: NameNumber, among chains: [ChainState]) -> [Int] {
    if let chainsByProduct { return chainsByProduct[product] ?? [] }
    var index: [NameNumber: [Int]] = [:]
    for chain in chains.indices where chains[chain].firstPurchase != none {
      index[chains[chain].firstProduct, default: []].append(chain)
    }
    chainsByProduct = index
    return index[product] ?? []
  }

  /// Adds a chain at its first purchase.
  mutating func addChain(_ chain: Int, of product: NameNumber) {
    chainsByProduct?[product, default: []].append(chain)
  }
}

// MARK: - Deliveries by restore

extension FoldIndexes {
  /// The deliveries that may belong to a restore.
  ///
  /// - Complexity: O(1); the first time O(*n*) in the deliveries.
  mutating func deliveries(of restore: UInt64, among deliveries: [DeliveryState]) -> [Int] {
    if let deliveriesByRestore { return deliveriesByRestore[restore] ?? [] }
    var index: [UInt64: [Int]] = [:]
    for delivery in deliveries.indices where deliveries[delivery].restore != 0 {
      index[deliveries[delivery].restore, default: []].append(delivery)
    }
    deliveriesByRestore = index
    return index[restore] ?? []
  }

  /// Adds a delivery that did not belong to the restore before.
  mutating func addDelivery(_ delivery: Int, to restore: UInt64) {
    deliveriesByRestore?[restore, default: []].append(delivery)
  }
}

// MARK: - What a fold asks

extension EnvironmentState {
  /// Makes a delivery part of a restore.
  mutating func set(restore: UInt64, ofDelivery delivery: Int) {
    if deliveries[delivery].restore == restore { return }
    deliveries[delivery].restore = restore
    indexes.addDelivery(delivery, to: restore)
  }

  /// The deliveries that may belong to a restore, each once.
  mutating func deliveriesThatMayBe(of restore: UInt64) -> [Int] {
    if deliveries.count <= FoldIndexes.walkedCountMax { return Array(deliveries.indices) }
    return Array(Set(indexes.deliveries(of: restore, among: deliveries)))
  }

  /// The chains whose first purchase may be of a product.
  mutating func chainsThatMayBe(of product: NameNumber) -> [Int] {
    if chains.count <= FoldIndexes.walkedCountMax { return Array(chains.indices) }
    return indexes.chains(of: product, among: chains)
  }

  /// The holders of the transactions of a chain that their customers bought themselves.
  mutating func buyers(of chain: Int) -> [Holder] {
    if let known = indexes.buyers(ofChain: chain) { return known }
    var holders: [Holder] = []
    var walked = 0
    for member in members(of: chain) {
      walked += 1
      if transactions[member].marks.contains(.ownPurchaseSeen) {
        holders.append(transactions[member].holder)
      }
    }
    if walked > FoldIndexes.walkedCountMax { indexes.setBuyers(holders, ofChain: chain) }
    return holders
  }

  /// Whether a finding names a transaction by this number.
  ///
  /// - Complexity: O(*k*) in the findings since the last question and the late facts of the batch.
  mutating func isFound(_ number: NameNumber) -> Bool {
    if arrivals.contains(where: { $0.finding.transaction == number }) { return true }
    let count = findings.count + lateFindings.count + published.count + digests.count
    if count > FoldIndexes.walkedCountMax {
      return indexes.isFound(number, findings, late: lateFindings, published, digests)
    }
    return findings.contains { $0.transaction == number }
      || lateFindings.contains { $0.transaction == number }
      || published.contains { $0.finding.transaction == number }
      || digests.contains { $0.finding.transaction == number }
  }
}

// MARK: - Transactions with findings

extension FoldIndexes {
  fileprivate mutating func isFound(
    _ number: NameNumber, _ findings: [Finding], late: [Finding],
    _ published: [PublishedVersion], _ digests: [InstalledDigest]
  ) -> Bool {
    assert(found.findingCount <= findings.count && found.lateFindingCount <= late.count)
    assert(found.publishedCount <= published.count && found.digestCount <= digests.count)
    for finding in findings[found.findingCount...] { found.numbers.insert(finding.transaction) }
    for finding in late[found.lateFindingCount...] { found.numbers.insert(finding.transaction) }
    for version in published[found.publishedCount...] {
      found.numbers.insert(version.finding.transaction)
    }
    for digest in digests[found.digestCount...] {
      found.numbers.insert(digest.finding.transaction)
    }
    found.findingCount = findings.count
    found.lateFindingCount = late.count
    found.publishedCount = published.count
    found.digestCount = digests.count
    return found.numbers.contains(number)
  }
}
