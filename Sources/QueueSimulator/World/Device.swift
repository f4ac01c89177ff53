/// A device: its app, its payment queue and its folders.
struct Device: Hashable, Sendable {
  enum AppState: UInt8, Sendable {
    case notRunning, background, foreground
  }

  enum Restore: UInt8, Sendable {
    case none
    /// The store lists what was bought.
    case listing
    /// Everything is listed, and the end is still to be reported.
    case listed
  }

  var app = AppState.notRunning
  var session: Int16 = 0
  var sequence: Int32 = 0
  /// The customer who is signed in to the app.
  var account: Int16
  /// Whether the observer is still to be added, as this launch's first call.
  var isStarting = false
  /// How many observers the app has on the queue.
  var observerCount: UInt8 = 0
  var mayPay = true
  var slots: [QueueTransaction] = []
  /// The downloads of all transactions.
  var parts: [Part] = []

  // The restore that is running.
  var restore = Restore.none
  /// Indices of the purchases that are still to be listed, the last one first.
  var toList: [Int16] = []
  /// The index of the first transaction after the restore's request.
  var restoreStart: Int16 = 0
  /// Whether the restore lists the purchases of another Apple ID.
  var isForeign = false
  /// Whether the restore's end may be reported before its transactions.
  var isOvertaking = false
  var isEndReported = false

  // The app's memory.
  var hasAskedToRestore = false
  /// Whether a restore's handler is finishing everything on the queue.
  var isSweeping = false
  /// Whether a restore's handler is removing the content that the restore did not deliver.
  var isTakingAway = false
  /// The slot of the newest payment; absent before any.
  var newestPayment: Int16 = .absent

  // The app's disk.
  /// What each account has of each product's content: all products of the first account, then those
  /// of the next.
  var folders: [Folder]
  /// Products whose purchase the app noted and has not yet delivered, one bit each, by account.
  var owed: [UInt64]

  /// The transactions for which the app has a call to make, as last listed.
  var callers: [Int16] = []
  /// Whether nothing that `nextCall` depends on has changed since.
  var areCallersListed = false
  /// Whether the queue had a download to report, as last listed.
  var hasDownloadNews = false

  // Faults that wait for their moment.
  var isDiskFull = false
  var failsFinish = false

  /// A download of a transaction, by its index within the transaction.
  subscript(slot: Int, part: Int) -> Part {
    get { parts[Int(slots[slot].firstPart) + part] }
    set { parts[Int(slots[slot].firstPart) + part] = newValue }
  }

  /// The indices of a transaction's downloads within the transaction.
  func parts(of slot: Int) -> Range<Int> { 0..<Int(slots[slot].partCount) }

  /// Gives a transaction its downloads.
  mutating func addParts(_ count: Int, to slot: Int) {
    slots[slot].firstPart = Int16(parts.count)
    slots[slot].partCount = Int16(count)
    for _ in 0..<count { parts.append(Part()) }
  }

  var observes: Bool { observerCount > 0 }

  init(account: Int16, accountCount: Int, productCount: Int, versionCount: Int) {
    self.account = account
    folders = Array(
      repeating: Folder(versionCount: versionCount), count: accountCount * productCount)
    owed = Array(repeating: 0, count: accountCount)
    slots.reserveCapacity(Self.usualSlotCount)
    parts.reserveCapacity(Self.usualSlotCount)
    callers.reserveCapacity(Self.usualSlotCount)
  }

  /// The capacity reserved for transactions and for downloads, which is enough for most runs.
  private static let usualSlotCount = 8
}

/// The content of a product that the app has installed: a folder for each version.
struct Folder: Hashable, Sendable {
  /// The installed parts, one bit each, by the version's rank.
  var parts: [UInt32]
  /// The highest version, by rank, of which all parts are installed; absent if there is none.
  var complete: Int16 = .absent
  /// What was installed last, and by which transaction.
  var newest: Int16 = .absent
  var installer: Int32 = .absent

  init(versionCount: Int) { parts = Array(repeating: 0, count: versionCount) }

  mutating func install(part: Int, of count: Int, version: Int16, by transaction: Int32) {
    newest = version
    installer = transaction
    parts[Int(version)] |= 1 << UInt32(part)
    if parts[Int(version)].nonzeroBitCount == count { complete = max(complete, version) }
  }

  /// Removes everything.
  mutating func empty() { self = Folder(versionCount: parts.count) }
}

/// A purchase as the store knows it: what the app has to deliver.
struct Purchase: Hashable, Sendable {
  var product: Int16
  var account: Int16
  var device: Int16
  var original: Int32
  var quantity: Int16
  var version: Int16
  var isRefunded = false
  /// How often the backend has credited it.
  var credits: Int16 = 0
  /// Whether its product is consumable.
  var isConsumable = false
  /// Whether it was bought before the run. The app owes nothing of it until it is restored.
  var isEarlier = false
}

/// A notification from the store's server to the backend.
struct Notification: Hashable, Sendable {
  enum Fact: UInt8, Sendable {
    case purchased, refunded
  }

  var fact: Fact
  var purchase: Int16
  var purchasedAt: Int64
  /// The position of its event in the recording, from 1; 0 before it is sent.
  var position: Int32 = 0
  var isRepeated = false
}
