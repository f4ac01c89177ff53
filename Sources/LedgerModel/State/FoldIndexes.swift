import LedgerEvents

/// Indexes over the tables of an environment, which spare a fold walks over whole tables. They are
/// derived from the tables when they are first needed, and never stored.
///
/// Short tables are walked, which is faster than an index.
struct FoldIndexes: Sendable {
  /// Longer tables and chains are indexed. Builds with checks index almost all of them, so that
  /// every test of the fold is one of the indexes too.
  #if DEBUG
    static let walkedCountMax = 1
  #else
    static let walkedCountMax = 16
  #endif

  /// By chain: the holders of the transactions that its customers bought themselves, each once.
  private var buyers: [Int: [Holder]] = [:]
  /// By product: the chains whose first purchase is of it.
  var chainsByProduct = RowIndex<NameNumber>()
  /// By holder: the transactions that were purchased, restored or renewed.
  var purchasesByHolder = RowIndex<Holder>()
  /// By holder: what operators granted, and what was consumed.
  var grantsByHolder = RowIndex<Holder>()
  var consumptionsByHolder = RowIndex<Holder>()
  /// Between folds, if somebody asks about many customers.
  var holders = HolderIndexes()
  /// What a transaction or a device has a list of.
  var lists = ListIndexes()
  /// By product, device and holder: the content, of which there is one at most.
  fileprivate var contentsByKey = RowIndex<ContentKey>()
  /// By product and version: the observation, of which there is one at most.
  fileprivate var versionsByKey = RowIndex<VersionKey>()
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

  /// Forgets what depends on who holds transactions and content.
  mutating func holdersChanged() {
    buyers.removeAll()
    purchasesByHolder = RowIndex()
    contentsByKey = RowIndex()
  }
}

// MARK: - Rows by what they name

/// The indexes of a table's rows by a number in them, made when it is first asked for.
struct RowIndex<Key: Hashable & Sendable>: Sendable {
  private var rowsByKey: [Key: [Int]]?

  var isMade: Bool { rowsByKey != nil }

  /// The rows with a key, in the order in which they were added.
  ///
  /// - Parameter key: The key of a row of the table; `nil` if it has none.
  /// - Complexity: O(1); the first time O(*n*) in the rows.
  mutating func rows<Table: RandomAccessCollection<Row>, Row>(
    with wanted: Key, in table: Table, by key: (Row) -> Key?
  ) -> [Int] where Table.Index == Int {
    if let rowsByKey { return rowsByKey[wanted] ?? [] }
    make(of: table, by: key)
    return rowsByKey?[wanted] ?? []
  }

  /// Makes the index.
  mutating func make<Table: RandomAccessCollection<Row>, Row>(
    of table: Table, by key: (Row) -> Key?
  ) where Table.Index == Int {
    var rows: [Key: [Int]] = [:]
    for index in table.indices {
      if let key = key(table[index]) { rows[key, default: []].append(index) }
    }
    rowsByKey = rows
  }

  /// The same if the index has been made; otherwise `nil`.
  func knownRows(with wanted: Key) -> [Int]? {
    rowsByKey.map { $0[wanted] ?? [] }
  }

  /// Adds a row that did not have the key before. An index that was not made yet finds it itself.
  mutating func add(_ row: Int, with key: Key) { rowsByKey?[key, default: []].append(row) }
}

/// What identifies content that somebody holds.
private struct ContentKey: Hashable {
  let product: NameNumber
  let device: NameNumber
  let holder: Holder

  init(product: NameNumber, device: NameNumber, holder: Holder) {
    self.product = product
    self.device = device
    self.holder = holder
  }

  /// The key of a row; `nil` if it was merged into another one.
  init?(_ content: ContentState) {
    guard content.holder != .merged else { return nil }
    self.init(product: content.product, device: content.device, holder: content.holder)
  }
}

private struct VersionKey: Hashable {
  let product: NameNumber
  let version: Name
}

// MARK: - What a fold asks

extension EnvironmentState {
  /// The chains whose first purchase may be of a product.
  mutating func chainsThatMayBe(of product: NameNumber) -> [Int] {
    if chains.count <= FoldIndexes.walkedCountMax { return Array(chains.indices) }
    // A copy, because an argument and the index cannot be parts of one access.
    let chains = chains
    return indexes.chainsByProduct.rows(with: product, in: chains) {
      $0.firstPurchase == none ? nil : $0.firstProduct
    }
  }

  /// The chains whose first purchase may be of a product, and of which `holder` may have a
  /// transaction: those of the product, or those of the holder if these are fewer.
  mutating func chainsThatMayBe(of product: NameNumber, heldBy holder: Holder) -> [Int] {
    let ofProduct = chainsThatMayBe(of: product)
    if ofProduct.count <= FoldIndexes.walkedCountMax { return ofProduct }
    let transactions = transactions
    let purchases = indexes.purchasesByHolder.rows(with: holder, in: transactions) {
      $0.hasPurchase ? $0.holder : nil
    }
    return purchases.count < ofProduct.count
      ? purchases.map { transactions[$0].chain } : ofProduct
  }

  /// The index of the content of a product that `holder` has on a device, or `none`.
  ///
  /// - Complexity: O(1) if the fold has made an index; otherwise O(*n*) in the content on the
  ///   device.
  func content(of product: NameNumber, on device: NameNumber, heldBy holder: Holder) -> Int {
    let key = ContentKey(product: product, device: device, holder: holder)
    if let rows = indexes.contentsByKey.knownRows(with: key) { return rows.first ?? none }
    return content(key, walking: .max) ?? none
  }

  /// The same while events are folded.
  ///
  /// - Complexity: O(1); O(*n*) in all content the first time that a device has much of it.
  mutating func findContent(
    of product: NameNumber, on device: NameNumber, heldBy holder: Holder
  ) -> Int {
    let key = ContentKey(product: product, device: device, holder: holder)
    if let found = content(key, walking: FoldIndexes.walkedCountMax) { return found }
    let contents = contents
    return indexes.contentsByKey.rows(with: key, in: contents, by: ContentKey.init).first ?? none
  }

  /// Looks for content among the `count` newest on the device. Returns `none` if the device does
  /// not have it, and `nil` if it has more.
  private func content(_ key: ContentKey, walking count: Int) -> Int? {
    let known = deviceIndex.lookUp(UInt64(key.device))
    if known < 0 { return none }
    return contents.first(from: devices[known].firstContent, walking: count) {
      $0.product == key.product && $0.holder == key.holder
    }
  }

  /// Adds content that its holder does not have on the device yet.
  mutating func append(_ content: ContentState) {
    let device = indexOfDevice(content.device)
    var content = content
    content.next = devices[device].firstContent
    devices[device].firstContent = contents.count
    if let key = ContentKey(content) { indexes.contentsByKey.add(contents.count, with: key) }
    contents.append(content)
  }

  /// Whether an event has named a version of a product.
  mutating func isObserved(_ version: Name, of product: NameNumber) -> Bool {
    if versions.count <= FoldIndexes.walkedCountMax {
      return versions.contains { $0.product == product && $0.version == version }
    }
    let versions = versions
    let rows = indexes.versionsByKey.rows(
      with: VersionKey(product: product, version: version), in: versions
    ) { VersionKey(product: $0.product, version: $0.version) }
    return !rows.isEmpty
  }

  /// Adds a version that no event has named before.
  mutating func append(_ observation: VersionObservation) {
    indexes.versionsByKey.add(
      versions.count,
      with: VersionKey(product: observation.product, version: observation.version))
    versions.append(observation)
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
    _ number: NameNumber, _ findings: StateTable<Finding>, late: StateTable<Finding>,
    _ published: StateTable<PublishedVersion>, _ digests: StateTable<InstalledDigest>
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
