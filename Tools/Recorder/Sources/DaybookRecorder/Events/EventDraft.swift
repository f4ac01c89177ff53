/// Who saw what an event says (`docs/events.md`, `source`).
public enum EventSource: String, Sendable {
  case storekit1, storekit2, app
}

/// The store's environment. StoreKit 1 does not know it; StoreKit 2 says it with each transaction.
public struct StoreEnvironment: Sendable, Hashable {
  public let name: String

  public static let production = StoreEnvironment(name: "production")
  public static let sandbox = StoreEnvironment(name: "sandbox")
  public static let xcode = StoreEnvironment(name: "xcode")

  private init(name: String) { self.name = name }

  /// The environment that StoreKit 2 calls `Production`, `Sandbox` or `Xcode`; nil for one that
  /// this version does not know, because a ledger accepts no other names.
  public init?(storeName: String) {
    switch storeName.lowercased() {
    case "production": self = .production
    case "sandbox": self = .sandbox
    case "xcode": self = .xcode
    default: return nil
    }
  }
}

/// The types of events that an app can see (`docs/events.md`, *Vocabulary*).
enum EventKind: String, Sendable, CaseIterable {
  case sessionStarted = "session.started"
  case sessionBackgrounded = "session.backgrounded"
  case sessionForegrounded = "session.foregrounded"
  case sessionEnded = "session.ended"
  case observerAdded = "session.observerAdded"
  case observerRemoved = "session.observerRemoved"
  case catalogRequested = "catalog.requested"
  case catalogReceived = "catalog.received"
  case catalogFailed = "catalog.failed"
  case paymentsChecked = "payments.checked"
  case paymentAdded = "payment.added"
  case purchasing = "transaction.purchasing"
  case `deferred` = "transaction.deferred"
  case purchased = "transaction.purchased"
  case restored = "transaction.restored"
  case failed = "transaction.failed"
  case finished = "transaction.finished"
  case removed = "transaction.removed"
  case refundRequested = "transaction.refundRequested"
  case refunded = "transaction.refunded"
  case revoked = "transaction.revoked"
  case receiptSubmitted = "receipt.submitted"
  case receiptAccepted = "receipt.accepted"
  case receiptRejected = "receipt.rejected"
  case fulfilled = "purchase.fulfilled"
  case fulfillmentFailed = "purchase.fulfillmentFailed"
  case restoreRequested = "restore.requested"
  case restoreCompleted = "restore.completed"
  case restoreFailed = "restore.failed"
  case downloadRequested = "download.requested"
  case downloadPauseRequested = "download.pauseRequested"
  case downloadResumeRequested = "download.resumeRequested"
  case downloadCancelRequested = "download.cancelRequested"
  case downloadWaiting = "download.waiting"
  case downloadProgressed = "download.progressed"
  case downloadPaused = "download.paused"
  case downloadFinished = "download.finished"
  case downloadFailed = "download.failed"
  case downloadCancelled = "download.cancelled"
  case installStarted = "content.installStarted"
  case installed = "content.installed"
  case installFailed = "content.installFailed"
  case activated = "content.activated"
  case contentRemoved = "content.removed"
  case contentPurged = "content.purged"
  case expired = "subscription.expired"
  case gracePeriodEntered = "subscription.gracePeriodEntered"
  case billingFailed = "subscription.billingFailed"
  case billingRecovered = "subscription.billingRecovered"
  case autoRenewChanged = "subscription.autoRenewChanged"
  case planChanged = "subscription.planChanged"
  case priceIncreased = "subscription.priceIncreased"
  case consumed = "consumable.consumed"
  case storefrontChanged = "storefront.changed"

  /// Whether the event may be refused first when the spool gets full, because the next one says
  /// more: it tells how far a download is, and nothing that happened to a purchase.
  var isRoutine: Bool { self == .downloadProgressed }
}

/// What an event says, before it has an id, a time and a number.
struct EventDraft: Sendable, Equatable {
  /// Whose event it is.
  enum Owner: Sendable, Equatable {
    /// Whoever is signed in to the app.
    case signedIn
    /// Whoever the transaction names. A transaction that names nobody is not given to whoever is
    /// signed in: that can be somebody else.
    case stated(String?)
  }

  var kind: EventKind
  var source: EventSource
  var owner: Owner = .signedIn
  var environment: StoreEnvironment?
  var payment: String?
  var product: String?
  var transaction: String?
  var originalTransaction: String?
  var download: String?
  var data = EventData()

  init(_ kind: EventKind, _ source: EventSource) {
    self.kind = kind
    self.source = source
  }
}

/// The parts of an event's envelope that stay the same, or that are counted, during a launch.
struct Envelope: Sendable {
  var id: String
  var occurredAt: Timestamp
  var app: String
  var device: String
  var session: String
  var sequence: Int64
  var environment: StoreEnvironment?
  var signedIn: String?
  /// Whether a transaction that names nobody belongs to whoever is signed in.
  var assignsToSignedIn: Bool
}

extension EventDraft {
  /// The event as one line of JSON without a line feed, as `daybook append` takes it.
  func line(_ envelope: Envelope) -> [UInt8] {
    var members = EventData()
    members.set("id", envelope.id)
    members.set("type", kind.rawValue)
    members.set("occurredAt", envelope.occurredAt)
    members.set("source", source.rawValue)
    members.set("environment", (environment ?? envelope.environment)?.name)
    members.set("app", envelope.app)
    members.set("account", account(envelope.signedIn, envelope.assignsToSignedIn))
    members.set("device", envelope.device)
    members.set("session", envelope.session)
    members.set("sequence", envelope.sequence)
    members.set("payment", payment)
    members.set("product", product)
    members.set("transaction", transaction)
    members.set("originalTransaction", originalTransaction)
    members.set("download", download)
    if !data.members.isEmpty { members.set("data", .object(data.members)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    JSON.object(members.members).append(to: &bytes)
    return bytes
  }

  /// Whose event it is.
  ///
  /// - Parameter assignsToSignedIn: Whether a transaction that names nobody belongs to whoever is
  ///   signed in.
  func account(_ signedIn: String?, _ assignsToSignedIn: Bool) -> String? {
    switch owner {
    case .signedIn: signedIn
    case .stated(let stated):
      if let stated, !stated.isEmpty {
        AccountToken.canonical(stated)
      } else if assignsToSignedIn {
        signedIn
      } else {
        nil
      }
    }
  }
}
