import LedgerEvents

/// An account id and the customer that it belongs to now.
struct AccountState: Sendable {
  let number: NameNumber
  /// `nobody` after an erasure, until the id is used again.
  var customer: Holder
}

/// What an operator granted to a customer, with the latest end of all grants of one name.
struct GrantState: Sendable {
  var holder: Holder
  /// `nil` if a product was granted.
  var entitlement: Name?
  var product: NameNumber
  /// `.max` if it is open.
  var until: Int64
  var since: Int64
}

/// What a customer has consumed of a unit.
struct ConsumptionState: Sendable {
  var holder: Holder
  var unit: Name
  var amount: Int64
}

/// A transaction that failed within the last 24 hours.
struct FailureState: Sendable {
  var transaction: Int
  var product: NameNumber
  var device: NameNumber
  var time: Int64
}

/// A `payment.added` that no queue fact has answered.
struct PaymentState: Sendable {
  var payment: NameNumber
  var product: NameNumber
  var device: NameNumber
  var account: NameNumber
  var time: Int64
  var position: UInt64
}

/// The newest queue state of a product among a transaction's queue facts (`model.md` 6).
struct ReportState: Sendable {
  let product: NameNumber
  var next = none
  var ordinal: Int
  var time: Int64
  var isDeferred: Bool
}

/// The state of a device, apart from its transactions.
struct DeviceState: Sendable {
  struct Offer: Sendable {
    var product: NameNumber
    var isInvalid: Bool
  }

  struct Request: Sendable {
    var position: UInt64
    var time: Int64
    var account: NameNumber
  }

  let number: NameNumber
  /// The position of the newest `session.started`, 0 before any.
  var launch: UInt64 = 0
  /// The position of the `restore.requested` of the restore that is under way, or 0.
  var restore: UInt64 = 0
  var restoreIsCompleted = false
  /// Whether payments are allowed, as last checked.
  var allowsPayments = true
  /// By product, what the newest `catalog.received` that names the product says about it.
  var offers: [Offer] = []
  /// Restores without an answer. The next answer applies to all of them.
  var unanswered: [Request] = []
  /// Restores that state an account: those that were completed in time, followed by the one that is
  /// under way.
  var restores: [RestoreState] = []
  /// Restores for which `restore-storm` was found.
  var storms: [UInt64] = []
  var firstContent = none
  var firstInstall = none

  init(number: NameNumber) { self.number = number }
}

/// A restore of an account on a stated device, to be compared with what it delivered.
struct RestoreState: Sendable {
  var position: UInt64
  var ordinal: Int
  var time: Int64
  var account: NameNumber
  var app: NameNumber
  /// When it was first completed; `Fact.absentTime` before that.
  var completedAt = Fact.absentTime

  init(position: UInt64, ordinal: Int, time: Int64, account: NameNumber, app: NameNumber) {
    self.position = position
    self.ordinal = ordinal
    self.time = time
    self.account = account
    self.app = app
  }
}

/// A report by an app or a backend about fulfilling a transaction that is, so far, at fault.
struct OutcomeState: Sendable {
  var transaction: Int
  var time: Int64
  var position: UInt64
}

/// A `purchase.fulfilled` of a transaction that was already fulfilled, in a chain for which it is
/// not yet known what was bought.
struct RepeatState: Sendable {
  var chain: Int
  var finding: Finding
}

/// The highest sequences of one session on one device, for `clock-stepped`.
struct SessionClock: Sendable {
  /// Among events strictly earlier than `time`.
  var highestBefore = Fact.absentSequence
  var time: Int64 = .min
  var highestAtTime = Fact.absentSequence
  var isFound = false
}
