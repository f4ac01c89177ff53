/// A device: its app, its payment queue and its folders.
struct Device: Hashable, Sendable {
  enum AppState: UInt8, Sendable {
    case notRunning, background, foreground
  }

  enum Restore: UInt8, Sendable {
    case none
    /// The store lists what was bought.
    case listing
    /// All is listed; the end is to be told.
    case listed
  }

  var app = AppState.notRunning
  var session: Int16 = 0
  var sequence: Int32 = 0
  /// Who is signed in to the app.
  var account: Int16
  /// The observer is to be added as this launch's first call.
  var isStarting = false
  /// How many observers the app has on the queue.
  var observerCount: UInt8 = 0
  var mayPay = true
  var slots: [QueueTransaction] = []
  /// The downloads of all transactions.
  var parts: [Part] = []

  // The restore that runs.
  var restore = Restore.none
  /// Places of purchases that are still to be listed, last first.
  var toList: [Int16] = []
  /// The place of the first transaction after its request.
  var restoreStart: Int16 = 0
  /// It lists what belongs to somebody else's Apple ID.
  var isForeign = false
  /// Its end may be told before its transactions.
  var isOvertaking = false
  var isEndTold = false

  // The app's memory.
  var hasAskedToRestore = false
  /// A restore's handler is finishing all that is on the queue.
  var isSweeping = false
  /// A restore's handler is taking away what the restore did not bring.
  var isTakingAway = false
  /// The slot of the newest payment; −1 before any.
  var newestPayment: Int16 = -1

  // The app's disk.
  /// What each account has of each product's content: all products of the first account, then those
  /// of the next.
  var folders: [Folder]
  /// Products whose purchase the app noted and has not yet delivered, a bit each, by account.
  var owed: [UInt64]

  /// The transactions that the app has a call for, as listed last.
  var callers: [Int16] = []
  /// Nothing that `nextCall` depends on has changed since.
  var areCallersListed = false
  /// The queue had something to report of downloads, as listed last.
  var hasDownloadNews = false

  // Faults that wait for their moment.
  var isDiskFull = false
  var failsFinish = false

  /// The download of a transaction, by its place there.
  subscript(slot: Int, part: Int) -> Part {
    get { parts[Int(slots[slot].firstPart) + part] }
    set { parts[Int(slots[slot].firstPart) + part] = newValue }
  }

  /// The places of a transaction's downloads in it.
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

  /// Room for the transactions of most runs, and for as many downloads.
  private static let usualSlotCount = 8
}

/// What the app has of a product's content: a folder for each version.
struct Folder: Hashable, Sendable {
  /// The parts that are there, a bit each, by the version's rank.
  var parts: [UInt32]
  /// The highest version, by rank, all of whose parts are there; −1 for none.
  var complete: Int16 = -1
  /// What was installed last, and by which transaction.
  var newest: Int16 = -1
  var installer: Int32 = -1

  init(versionCount: Int) { parts = Array(repeating: 0, count: versionCount) }

  mutating func install(part: Int, of count: Int, version: Int16, by transaction: Int32) {
    newest = version
    installer = transaction
    parts[Int(version)] |= 1 << UInt32(part)
    if parts[Int(version)].nonzeroBitCount == count { complete = max(complete, version) }
  }

  /// The app takes everything away.
  mutating func empty() { self = Folder(versionCount: parts.count) }
}

/// What a customer has paid for: the truth that the app's doings are measured by.
struct Purchase: Hashable, Sendable {
  var product: Int16
  var account: Int16
  var device: Int16
  var original: Int32
  var quantity: Int16
  var version: Int16
  var isRefunded = false
  /// How often the backend gave what was bought.
  var credits: Int16 = 0
  /// The transaction that was bought; others are restored ones of it.
  var isConsumable = false
  /// Bought before the run: nothing of it is owed before it is restored.
  var isEarlier = false
}

/// Something that the store's server has to tell the backend.
struct Notification: Hashable, Sendable {
  enum Fact: UInt8, Sendable {
    case purchased, refunded
  }

  var fact: Fact
  var purchase: Int16
  var purchasedAt: Int64
  /// The event that told it; 0 before any.
  var position: Int32 = 0
  var isRepeated = false
}
