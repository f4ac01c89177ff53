/// A transaction on a device's payment queue, what the app knows of it, and what it keeps of it on
/// its disk. It holds no reference, so that copies of it cost nothing.
struct QueueTransaction: Hashable, Sendable {
  /// `SKPaymentTransactionState`.
  enum State: UInt8, Sendable {
    case purchasing, deferred, purchased, failed, restored
  }

  // What the queue holds.
  /// −1 where the app added no payment.
  var payment: Int32 = -1
  var product: Int16
  /// −1 before the purchase: StoreKit gives no identifier before it, nor to a failure.
  var transaction: Int32 = -1
  var original: Int32 = -1
  /// What the queue says of its customer; −1 where that was lost.
  var account: Int16
  /// Whose it is: who paid, or who asked for it to be restored.
  var holder: Int16
  /// The place of its content among the device's folders.
  var folder: Int16
  var quantity: Int16 = 1
  var state = State.purchasing
  var outcome = PaymentOutcome.purchased
  var wasCancelled = false
  /// Microseconds of the virtual clock.
  var purchasedAt: Int64 = 0
  /// The place of the purchase that it tells of; −1 before there is one.
  var purchase: Int16 = -1
  /// The content's version, by its rank.
  var version: Int16 = -1
  /// Its downloads' places among the device's.
  var firstPart: Int16 = 0
  var partCount: Int16 = 0
  /// The state is to be told to the observer.
  var isPending = true
  /// It left the queue.
  var isGone = false
  /// That it left is to be told.
  var isRemovalPending = false
  /// It is reported as failed next, whatever it is.
  var isContradicted = false

  // What the app knows in this launch.
  var isTold = false
  var told = State.purchasing
  /// The app has called finish.
  var isFinished = false
  /// The second observer has called finish, too.
  var isFinishedTwice = false
  /// How many observers were told of it and have not fulfilled it since.
  var unfulfilled: UInt8 = 0
  /// Something failed; tried again after the next launch or return to the foreground.
  var isOnHold = false
  /// The backend rejected its receipt.
  var isRejected = false
  /// Taken for the answer to another payment.
  var isMistaken = false
  /// An older transaction was taken for the answer to its payment.
  var isAnswered = false
  /// A callback's downloads were all finished, and this was the first one's transaction.
  var isBatchDone = false
  /// The part that was reported last; −1 before any.
  var lastPart: Int16 = -1

  // What the app keeps.
  var isRecorded = false
  /// How often the app has fulfilled it; each observer of several counts for itself.
  var fulfilments: UInt8 = 0

  /// - Parameter folder: The place of the holder's content among the device's folders.
  init(product: Int16, holder: Int16, folder: Int16) {
    self.product = product
    account = holder
    self.holder = holder
    self.folder = folder
  }

  /// Its downloads' places among the device's.
  var places: Range<Int> { Int(firstPart)..<Int(firstPart) + Int(partCount) }

  /// The app has finished it, or it left the queue by itself.
  var isLeft: Bool { isFinished || isGone }

  var isFulfilled: Bool { fulfilments > 0 }

  /// The queue has reported something to give to the customer.
  var isDelivered: Bool { isTold && (told == .purchased || told == .restored) }

  /// What a kill makes the app forget.
  mutating func forget() {
    isTold = false
    isFinished = false
    isFinishedTwice = false
    unfulfilled = 0
    isOnHold = false
    isRejected = false
    isMistaken = false
    isAnswered = false
    isBatchDone = false
    lastPart = -1
  }
}

/// One download of a transaction (`SKDownload`).
struct Part: Hashable, Sendable {
  /// `SKDownloadState`, and that nobody has started it.
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
  /// The state is to be told.
  var isPending = false

  // What the app knows in this launch.
  var told = State.notStarted
  var toldProgress: Int16 = 0
  var isRequested = false
  /// The customer stopped it.
  var isHeldByCustomer = false
  var isOnHold = false
  var isInstalling = false
  /// The file was there already and was left alone.
  var isSkipped = false

  // What the app keeps.
  var isInstalled = false

  /// The app was told the state that the queue holds.
  mutating func noteTold() {
    isPending = false
    told = state
    toldProgress = progress
  }

  /// Nothing is left to be copied.
  var isThere: Bool { isInstalled || isSkipped }

  mutating func forget() {
    told = .notStarted
    toldProgress = 0
    isRequested = false
    isOnHold = false
    isInstalling = false
    isSkipped = false
  }
}
