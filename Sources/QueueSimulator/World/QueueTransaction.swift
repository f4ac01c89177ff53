/// A transaction on a device's payment queue, with what the app knows about it in memory and on
/// disk. It holds no references, so copying it costs little.
struct QueueTransaction: Hashable, Sendable {
  /// `SKPaymentTransactionState`.
  enum State: UInt8, Sendable {
    case purchasing, deferred, purchased, failed, restored
  }

  // What the queue holds.
  /// Absent if the app added no payment.
  var payment: Int32 = .absent
  var product: Int16
  /// Absent before the purchase. StoreKit assigns no identifier before it, nor to a failure.
  var transaction: Int32 = .absent
  var original: Int32 = .absent
  /// The customer that the queue names; absent if the name was lost.
  var account: Int16
  /// The customer who paid for it or restored it.
  var holder: Int16
  /// The index of its content among the device's folders.
  var folder: Int16
  var quantity: Int16 = 1
  var state = State.purchasing
  var outcome = PaymentOutcome.purchased
  var wasCancelled = false
  /// In microseconds of the virtual clock.
  var purchasedAt: Int64 = 0
  /// The index of its purchase; absent before there is one.
  var purchase: Int16 = .absent
  /// The content's version, by its rank.
  var version: Int16 = .absent
  /// The index of its first download among the device's downloads.
  var firstPart: Int16 = 0
  var partCount: Int16 = 0
  /// Whether its state is still to be reported to the observer.
  var isPending = true
  /// Whether it has left the queue.
  var hasLeft = false
  /// Whether its removal is still to be reported.
  var isRemovalPending = false
  /// Whether the next report says that it failed, whatever its state.
  var isContradicted = false

  // What the app knows in this launch.
  var isReported = false
  var reported = State.purchasing
  /// Whether the app has called finish.
  var isFinished = false
  /// Whether the second observer has called finish, too.
  var isFinishedTwice = false
  /// How many observers have received it and not yet fulfilled it.
  var unfulfilled: UInt8 = 0
  /// Whether a call failed. The app tries again after the next launch or return to the foreground.
  var isOnHold = false
  /// Whether the backend rejected its receipt.
  var isRejected = false
  /// Whether the app treats it as the answer to another payment.
  var isMistaken = false
  /// Whether the app has treated an older transaction as the answer to its payment.
  var isAnswered = false
  /// Whether all downloads of one callback were finished and this transaction's was the first of
  /// them.
  var isBatchDone = false
  /// The part that was reported last; absent before any.
  var lastPart: Int16 = .absent

  // What the app keeps.
  var isRecorded = false
  /// How often the app has fulfilled it. Each of several observers counts separately.
  var fulfilments: UInt8 = 0

  /// - Parameter folder: The index of the holder's content among the device's folders.
  init(product: Int16, holder: Int16, folder: Int16) {
    self.product = product
    account = holder
    self.holder = holder
    self.folder = folder
  }

  /// The indices of its downloads among the device's downloads.
  var partIndices: Range<Int> { Int(firstPart)..<Int(firstPart) + Int(partCount) }

  /// Whether the app has finished it, or it has left the queue.
  var isClosed: Bool { isFinished || hasLeft }

  var isFulfilled: Bool { fulfilments > 0 }

  /// Whether the queue has reported it as purchased or restored in this launch.
  var isDelivered: Bool { isReported && (reported == .purchased || reported == .restored) }

  /// Forgets what the app knew, because it was killed.
  mutating func forget() {
    isReported = false
    isFinished = false
    isFinishedTwice = false
    unfulfilled = 0
    isOnHold = false
    isRejected = false
    isMistaken = false
    isAnswered = false
    isBatchDone = false
    lastPart = .absent
  }
}

/// One download of a transaction (`SKDownload`).
struct Part: Hashable, Sendable {
  /// `SKDownloadState`, and a state for a download that was never started.
  enum State: UInt8, Sendable {
    case notStarted, waiting, active, paused, finished, failed, cancelled

    var hasEnded: Bool { self == .finished || self == .failed || self == .cancelled }
    var isRunning: Bool { self == .waiting || self == .active }
  }

  // What the queue holds.
  var state = State.notStarted
  /// In thousandths.
  var progress: Int16 = 0
  var isCached = false
  var isStalled = false
  /// Whether its state is still to be reported.
  var isPending = false

  // What the app knows in this launch.
  var reported = State.notStarted
  var reportedProgress: Int16 = 0
  var isRequested = false
  /// Whether the customer stopped it.
  var isHeldByCustomer = false
  var isOnHold = false
  var isInstalling = false
  /// Whether the file already existed and was left alone.
  var isSkipped = false

  // What the app keeps.
  var isInstalled = false

  /// Notes that the queue's state was reported to the app.
  mutating func noteReported() {
    isPending = false
    reported = state
    reportedProgress = progress
  }

  /// Whether nothing is left to copy.
  var isThere: Bool { isInstalled || isSkipped }

  mutating func forget() {
    reported = .notStarted
    reportedProgress = 0
    isRequested = false
    isOnHold = false
    isInstalling = false
    isSkipped = false
  }
}
