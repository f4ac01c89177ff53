import LedgerEvents

/// A row of a table that is part of a linked list, which begins with its newest row.
protocol ListedRow: Sendable {
  /// The row that was added to the list before it; `none` for the oldest one.
  var next: Int { get }
}

extension DeliveryState: ListedRow {}
extension DownloadState: ListedRow {}
extension InstallState: ListedRow {}
extension ContentState: ListedRow {}

extension StateTable where Row: ListedRow {
  /// Looks for a row among the `count` newest of a list. Returns `none` if the list does not have
  /// it, and `nil` if the list is longer.
  func first(
    from first: Int, walking count: Int = FoldIndexes.walkedCountMax, _ isWanted: (Row) -> Bool
  ) -> Int? {
    var index = first
    var walked = 0
    while index != none {
      if walked == count { return nil }
      if isWanted(rows[index]) { return index }
      index = rows[index].next
      walked += 1
    }
    return none
  }

  /// The wanted rows of a list, the newest first; `nil` if the list is too long to be walked.
  func all(from first: Int, _ isWanted: (Row) -> Bool) -> [Int]? {
    var found: [Int] = []
    var index = first
    var walked = 0
    while index != none {
      if walked == FoldIndexes.walkedCountMax { return nil }
      if isWanted(rows[index]) { found.append(index) }
      index = rows[index].next
      walked += 1
    }
    return found
  }
}

/// Indexes of the lists that a transaction or a device has.
struct ListIndexes: Sendable {
  /// By transaction and device: the delivery, of which there is one at most.
  fileprivate var deliveries = RowIndex<DeliveryKey>()
  /// By restore and device: the deliveries.
  fileprivate var deliveriesByRestore = RowIndex<RestoreKey>()
  /// The same by chain.
  fileprivate var deliveriesByChain = RowIndex<RestoredChain>()
  /// By transaction, download and device: the download, of which there is one at most.
  fileprivate var downloads = RowIndex<DownloadKey>()
  /// By transaction and download: the download on every device.
  fileprivate var downloadsByName = RowIndex<DownloadName>()
  /// By transaction and device: its downloads there.
  fileprivate var downloadsByDelivery = RowIndex<DeliveryKey>()
  /// By what it names: the install, of which there is one at most.
  fileprivate var installs = RowIndex<InstallKey>()
  /// How many downloads are requested and have not ended, for each restore about which this was
  /// asked and would take long to count.
  fileprivate var openRequests: [RestoreKey: Int] = [:]
}

private struct DeliveryKey: Hashable {
  let transaction: Int
  let device: NameNumber
}

/// A download's number is unique within its transaction only.
private struct DownloadName: Hashable {
  let transaction: Int
  let number: NameNumber
}

private struct DownloadKey: Hashable {
  let name: DownloadName
  let device: NameNumber

  init(_ transaction: Int, _ number: NameNumber, _ device: NameNumber) {
    name = DownloadName(transaction: transaction, number: number)
    self.device = device
  }
}

private struct InstallKey: Hashable {
  let transaction: Int
  let download: NameNumber
  let product: NameNumber
  let device: NameNumber
}

/// A restore on the device that it delivers to.
private struct RestoreKey: Hashable {
  let restore: UInt64
  let device: NameNumber
}

private struct RestoredChain: Hashable {
  let chain: Int
  let restore: RestoreKey
}

// Of the tables, copies are used below, because an argument and the index cannot be parts of one
// access.

// MARK: - Deliveries

extension EnvironmentState {
  /// The delivery of a transaction to a device, or `none`.
  ///
  /// - Complexity: O(1); O(*n*) in all deliveries the first time that a list of them is long.
  mutating func findDelivery(of transaction: Int, on device: NameNumber) -> Int {
    let first = transactions[transaction].firstDelivery
    if let found = deliveries.first(from: first, { $0.device == device }) { return found }
    let deliveries = deliveries
    return indexes.lists.deliveries.rows(
      with: DeliveryKey(transaction: transaction, device: device), in: deliveries
    ) { DeliveryKey(transaction: $0.transaction, device: $0.device) }.first ?? none
  }

  /// The deliveries of a restore to a device.
  mutating func findDeliveries(of restore: UInt64, on device: NameNumber) -> [Int] {
    let deliveries = deliveries
    let wanted = RestoreKey(restore: restore, device: device)
    if deliveries.count <= FoldIndexes.walkedCountMax {
      return deliveries.indices.filter { deliveries[$0].restoreKey == wanted }
    }
    return indexes.lists.deliveriesByRestore.rows(with: wanted, in: deliveries) { $0.restoreKey }
  }

  /// The deliveries of a chain's transactions by a restore to a device.
  mutating func findDeliveries(
    ofChain chain: Int, by restore: UInt64, on device: NameNumber
  ) -> [Int] {
    let (deliveries, transactions) = (deliveries, transactions)
    let key = RestoreKey(restore: restore, device: device)
    if deliveries.count <= FoldIndexes.walkedCountMax {
      return deliveries.indices.filter {
        deliveries[$0].restoreKey == key && transactions[deliveries[$0].transaction].chain == chain
      }
    }
    return indexes.lists.deliveriesByChain.rows(
      with: RestoredChain(chain: chain, restore: key), in: deliveries
    ) { delivery in
      delivery.restoreKey.map {
        RestoredChain(chain: transactions[delivery.transaction].chain, restore: $0)
      }
    }
  }

  /// Adds the delivery of a transaction to a device, to which it was not delivered yet. Returns its
  /// index.
  mutating func appendDelivery(of transaction: Int, on device: NameNumber) -> Int {
    let index = deliveries.count
    var delivery = DeliveryState(transaction: transaction, device: device)
    delivery.next = transactions[transaction].firstDelivery
    transactions[transaction].firstDelivery = index
    deliveries.append(delivery)
    indexes.lists.deliveries.add(
      index, with: DeliveryKey(transaction: transaction, device: device))
    return index
  }
}

extension DeliveryState {
  fileprivate var restoreKey: RestoreKey? {
    restore == 0 ? nil : RestoreKey(restore: restore, device: device)
  }
}

// MARK: - Downloads

extension EnvironmentState {
  /// A download of a transaction on a device, or `none`.
  ///
  /// - Complexity: O(1); O(*n*) in all downloads the first time that a transaction has many.
  mutating func findDownload(
    of transaction: Int, _ number: NameNumber, on device: NameNumber
  ) -> Int {
    let found = downloads.first(from: transactions[transaction].firstDownload) {
      $0.number == number && $0.device == device
    }
    if let found { return found }
    let downloads = downloads
    let key = DownloadKey(transaction, number, device)
    return indexes.lists.downloads.rows(with: key, in: downloads) { $0.key }.first ?? none
  }

  /// The same after a fold.
  ///
  /// - Complexity: O(1) if the fold has made an index; otherwise O(*n*) in the transaction's
  ///   downloads.
  func download(of transaction: Int, _ number: NameNumber, on device: NameNumber) -> Int {
    let key = DownloadKey(transaction, number, device)
    if let rows = indexes.lists.downloads.knownRows(with: key) { return rows.first ?? none }
    return downloads.first(from: transactions[transaction].firstDownload, walking: .max) {
      $0.number == number && $0.device == device
    } ?? none
  }

  /// The index of a download on a device. A new download is added as announced.
  mutating func indexOfDownload(
    of transaction: Int, _ number: NameNumber, on device: NameNumber
  ) -> Int {
    let known = findDownload(of: transaction, number, on: device)
    if known != none { return known }
    let index = downloads.count
    var download = DownloadState(transaction: transaction, number: number, device: device)
    download.next = transactions[transaction].firstDownload
    transactions[transaction].firstDownload = index
    downloads.append(download)
    indexes.lists.downloads.add(index, with: download.key)
    indexes.lists.downloadsByName.add(index, with: download.name)
    indexes.lists.downloadsByDelivery.add(index, with: download.delivery)
    return index
  }

  /// A download on every device, the newest first.
  mutating func siblings(of index: Int) -> [Int] {
    let (transaction, name) = (downloads[index].transaction, downloads[index].name)
    let first = transactions[transaction].firstDownload
    if let found = downloads.all(from: first, { $0.number == name.number }) { return found }
    let downloads = downloads
    return indexes.lists.downloadsByName.rows(with: name, in: downloads) { $0.name }.reversed()
  }

  /// The downloads of a transaction on a device, the newest first.
  mutating func findDownloads(of transaction: Int, on device: NameNumber) -> [Int] {
    let first = transactions[transaction].firstDownload
    if let found = downloads.all(from: first, { $0.device == device }) { return found }
    let downloads = downloads
    let delivery = DeliveryKey(transaction: transaction, device: device)
    return indexes.lists.downloadsByDelivery.rows(with: delivery, in: downloads) { $0.delivery }
      .reversed()
  }
}

extension DownloadState {
  fileprivate var key: DownloadKey { DownloadKey(transaction, number, device) }
  fileprivate var name: DownloadName { DownloadName(transaction: transaction, number: number) }
  fileprivate var delivery: DeliveryKey { DeliveryKey(transaction: transaction, device: device) }
}

// MARK: - Requested downloads

extension EnvironmentState {
  /// Notes whether a download is requested and has not ended since.
  mutating func setRequestedAndOpen(_ isOpen: Bool, _ index: Int) {
    if downloads[index].marks.contains(.requestedAndOpen) == isOpen { return }
    if isOpen {
      downloads[index].marks.insert(.requestedAndOpen)
    } else {
      downloads[index].marks.remove(.requestedAndOpen)
    }
    if indexes.lists.openRequests.isEmpty { return }
    let device = downloads[index].device
    let delivery = findDelivery(of: downloads[index].transaction, on: device)
    guard delivery != none, let key = deliveries[delivery].restoreKey else { return }
    indexes.lists.openRequests[key]? += isOpen ? 1 : -1
  }

  /// Makes a new delivery part of a restore. It stays part of it.
  mutating func set(restore: UInt64, ofDelivery delivery: Int) {
    assert(deliveries[delivery].restore == 0, "a delivery belongs to one restore")
    deliveries[delivery].restore = restore
    let (transaction, device) = (deliveries[delivery].transaction, deliveries[delivery].device)
    let key = RestoreKey(restore: restore, device: device)
    indexes.lists.deliveriesByRestore.add(delivery, with: key)
    indexes.lists.deliveriesByChain.add(
      delivery, with: RestoredChain(chain: transactions[transaction].chain, restore: key))
    guard let known = indexes.lists.openRequests[key] else { return }
    // Downloads can be requested before the queue has delivered their transaction.
    let count = findDownloads(of: transaction, on: device)
      .count { downloads[$0].marks.contains(.requestedAndOpen) }
    indexes.lists.openRequests[key] = known + count
  }

  /// How many downloads of what a restore delivered to a device are requested and have not ended.
  ///
  /// - Complexity: O(1); O(*n*) in the downloads the first time that there are many.
  mutating func countOpenRequests(of restore: UInt64, on device: NameNumber) -> Int {
    let key = RestoreKey(restore: restore, device: device)
    if let known = indexes.lists.openRequests[key] { return known }
    var count = 0
    var walked = 0
    for delivery in findDeliveries(of: restore, on: device) {
      walked += 1
      for download in findDownloads(of: deliveries[delivery].transaction, on: device) {
        walked += 1
        if downloads[download].marks.contains(.requestedAndOpen) { count += 1 }
      }
    }
    if walked > FoldIndexes.walkedCountMax { indexes.lists.openRequests[key] = count }
    return count
  }
}

// MARK: - Installs

extension EnvironmentState {
  /// The install of a download on its device; `nil` if there is none.
  mutating func findInstall(of download: DownloadState) -> InstallState? {
    let key = InstallKey(
      transaction: download.transaction, download: download.number, product: 0,
      device: download.device)
    let index = findInstall(key, from: transactions[download.transaction].firstInstall)
    return index == none ? nil : installs[index]
  }

  /// The index of the install that names the same as `install`, which is added if there is none: to
  /// the list of its transaction, or else of its device.
  mutating func indexOf(_ install: InstallState) -> Int {
    let device = install.transaction == none ? indexOfDevice(install.device) : none
    var install = install
    install.next =
      device == none
      ? transactions[install.transaction].firstInstall : devices[device].firstInstall
    let known = findInstall(install.key, from: install.next)
    if known != none { return known }
    let index = installs.count
    if device == none {
      transactions[install.transaction].firstInstall = index
    } else {
      devices[device].firstInstall = index
    }
    installs.append(install)
    indexes.lists.installs.add(index, with: install.key)
    return index
  }

  /// An install in the list that begins at `first`, or `none`.
  ///
  /// - Complexity: O(1); O(*n*) in all installs the first time that a list of them is long.
  private mutating func findInstall(_ key: InstallKey, from first: Int) -> Int {
    if let found = installs.first(from: first, { $0.key == key }) { return found }
    let installs = installs
    return indexes.lists.installs.rows(with: key, in: installs) { $0.key }.first ?? none
  }
}

extension InstallState {
  fileprivate var key: InstallKey {
    InstallKey(transaction: transaction, download: download, product: product, device: device)
  }
}
