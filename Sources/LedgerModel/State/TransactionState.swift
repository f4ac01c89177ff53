import LedgerEvents

/// The index of a row or fact that does not exist, and the end of a linked list in a flat table.
let none = -1

/// One transaction in one environment.
struct TransactionState: Sendable {
  /// What has been seen of the transaction, and the rules that are reported once per transaction.
  struct Marks: OptionSet, Sendable {
    let rawValue: UInt16
    static let knownFromStoreOrQueue = Marks(rawValue: 1)
    static let unknownFound = Marks(rawValue: 2)
    static let fulfillmentSeen = Marks(rawValue: 4)
    static let accountChangedFound = Marks(rawValue: 8)
    static let hostedUnsupportedFound = Marks(rawValue: 16)
    static let purchasedDeliverySeen = Marks(rawValue: 32)
    static let loopFoundInOpening = Marks(rawValue: 64)
    static let removalFoundInOpening = Marks(rawValue: 128)
    static let begun = Marks(rawValue: 256)
    static let restoredTwiceFound = Marks(rawValue: 512)
    static let restoredEarlyFound = Marks(rawValue: 1_024)
    /// One of its purchase facts is not familyShared.
    static let ownPurchaseSeen = Marks(rawValue: 2_048)
    static let fulfilledSeen = Marks(rawValue: 4_096)
    /// Removed from the queue before any finish.
    static let removedUnfinished = Marks(rawValue: 8_192)
    static let failedAfterPurchaseFound = Marks(rawValue: 16_384)
    /// It has a row among `refusals`.
    static let isRefused = Marks(rawValue: 32_768)
  }

  /// The transaction's number, or its payment's while no transaction is known.
  var number: NameNumber
  /// The first `originalTransaction` that one of its events states.
  var statedOriginal: NameNumber = 0
  /// The first account that one of its events states (`model.md` 1).
  var owner: NameNumber = 0
  /// The first product that one of its events states.
  var product: NameNumber = 0
  var marks: Marks = []
  var chain = none
  var nextInChain = none
  /// The customer that holds it now, or `nobody`.
  var holder = Holder.nobody
  /// The `to` of every transfer that moved it.
  var movedTo: [NameNumber] = []
  var queue = QueueState()
  var purchase = PurchaseState()
  var firstDelivery = none
  var firstDownload = none
  var firstInstall = none
  var firstReport = none

  init(number: NameNumber) { self.number = number }

  var original: NameNumber { statedOriginal != 0 ? statedOriginal : number }
  var isBegun: Bool { marks.contains(.begun) }
  /// Finished after a delivery, or removed.
  var hasLeftTheQueue: Bool { queue.wasFinished || marks.contains(.removedUnfinished) }
  /// Whether an event said that it was purchased, restored or renewed, which makes it a period or a
  /// grantor.
  var hasPurchase: Bool { purchase.firstOrdinal >= 0 }
}

/// Where a transaction stands on the queue (`model.md` 13).
struct QueueState: Sendable {
  /// The newest of purchasing, deferred, purchased, restored and failed among its queue facts;
  /// `unknown` before any.
  var reported = EventKind.unknown
  /// The newest delivery: purchased, restored or failed; `unknown` before any.
  var delivered = EventKind.unknown
  var isOpen = false
  var openedAt: Int64 = 0
  var openedPosition: UInt64 = 0
  /// How often it was finished after a delivery.
  var finishCount = 0

  var wasDelivered: Bool { delivered != .unknown }
  var wasFinished: Bool { finishCount > 0 }
  var isFinishedAndNotOpen: Bool { wasFinished && !isOpen }
}

/// What purchase facts and refunds say about one transaction, which is a period of a subscription
/// or a copy of a purchase.
struct PurchaseState: Sendable {
  /// `none` before any purchase fact.
  var firstOrdinal = none
  var firstTime: Int64 = 0
  var firstPosition: UInt64 = 0
  var firstApp: NameNumber = 0
  /// The earliest `purchasedAt` that its purchase facts state.
  var statedStart = Fact.absentTime
  var isOnlyRestored = true
  var statesExpiry = false
  /// The earliest `purchasedAt` of those that are not `restored`, and when the first of them
  /// happened.
  var unrestoredStart = Fact.absentTime
  var unrestoredTime = Fact.absentTime
  /// The newest purchase fact among store facts, by store time.
  var store = StoreClaim()
  /// The newest purchase fact among the others, by the fold order.
  var queueOrdinal = none
  var queueProduct: NameNumber = 0
  var storeExpiry = DatedValue()
  var queueExpiry = DatedValue()
  var isFamilyShared = false
  var reversal = Reversal()

  /// The product of its newest purchase fact. Store facts take precedence over queue facts.
  var product: NameNumber { store.ordinal >= 0 ? store.product : queueProduct }
  var start: Int64 { statedStart != Fact.absentTime ? statedStart : firstTime }
}

/// The newest store fact that says that a transaction was bought.
struct StoreClaim: Sendable {
  var time: Int64 = .min
  var ordinal = none
  var product: NameNumber = 0
  var isUpgraded = false

  var recency: Recency { Recency(time: time, ordinal: ordinal) }
}

/// How new a statement about a transaction is. Of two statements the newer one holds, by store time
/// and then by the fold order.
struct Recency: Comparable {
  var time: Int64
  /// The index of the statement's fact in the unit's fold.
  var ordinal: Int

  init(time: Int64, ordinal: Int) {
    self.time = time
    self.ordinal = ordinal
  }

  /// The recency of what a fact says.
  init(_ fact: Fact, ordinal: Int) { self.init(time: fact.storeTime, ordinal: ordinal) }

  static func < (left: Recency, right: Recency) -> Bool {
    left.time != right.time ? left.time < right.time : left.ordinal < right.ordinal
  }
}

/// A time that facts state, and when they stated it. Of two statements the newer one holds, by
/// store time and then by the fold order.
struct DatedValue: Sendable {
  var value = Fact.absentTime
  var time: Int64 = .min
  var ordinal = none

  mutating func take(_ value: Int64, time: Int64, ordinal: Int) {
    let known = Recency(time: self.time, ordinal: self.ordinal)
    if Recency(time: time, ordinal: ordinal) < known { return }
    self = DatedValue(value: value, time: time, ordinal: ordinal)
  }
}

/// The newest refund, revocation or reversal of a transaction, by store time.
struct Reversal: Sendable {
  enum Kind: UInt8, Sendable {
    case none = 0
    case refunded = 1
    case revoked = 2
    case reversed = 3
  }

  var kind = Kind.none
  var time: Int64 = .min
  var ordinal = none
  var occurredAt: Int64 = 0
  var percentMillionths: Int64 = FactDetail.Fields.wholePercentMillionths

  var recency: Recency { Recency(time: time, ordinal: ordinal) }

  /// Refunded or revoked, and not reversed since.
  var takesAway: Bool { kind == .refunded || kind == .revoked }
}
