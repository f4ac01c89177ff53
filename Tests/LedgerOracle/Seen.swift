import LedgerEvents

/// A transaction as the oracle calls it: by its name, or by its payment while none is named.
enum TransactionKey: Hashable {
  case named(Name)
  case payment(Name)

  var name: Name {
    switch self {
    case .named(let name), .payment(let name): name
    }
  }
}

/// One event with what the oracle reads out of it.
final class Seen {
  let event: Event
  let position: UInt64
  let recordedAt: Int64
  /// Believed store time: `recordedAt` where the clock was more than 24 hours ahead of it.
  let at: Int64
  let isClockAhead: Bool
  let signedAt: Int64?
  /// The place in the fold's order of its environment; set when the environment's events are known.
  var index = 0
  /// The transaction that it is an event of, in its environment.
  var transaction: Transaction?

  init(_ recorded: RecordedEvent) {
    event = recorded.event
    position = recorded.position
    recordedAt = recorded.recordedAt.microseconds
    let occurredAt = recorded.event.occurredAt.microseconds
    isClockAhead = occurredAt > recordedAt + Instant.day
    at = isClockAhead ? recordedAt : occurredAt
    signedAt = Seen.time("signedAt", of: recorded.event)
  }

  /// The same event seen in another environment, where it has another place.
  init(copyOf other: Seen) {
    event = other.event
    position = other.position
    recordedAt = other.recordedAt
    at = other.at
    isClockAhead = other.isClockAhead
    signedAt = other.signedAt
  }

  var kind: EventKind { event.type.kind }
  var sequence: Int64 { event.sequence ?? 0 }
  /// When the store signed it, else when it happened: what orders facts about one transaction.
  var rank: Int64 { signedAt ?? at }

  var isFromStore: Bool {
    switch event.source?.kind {
    case .notification, .receipt, .server: true
    default: false
    }
  }
  var isStoreFact: Bool { signedAt != nil || isFromStore }
  var isOfTransactions: Bool { subject == "transaction" }
  var isOfSubscriptions: Bool { subject == "subscription" }
  var isOfDownloads: Bool { subject == "download" }
  /// What stands before the point of a type of the vocabulary; empty for an unknown type.
  var subject: String { Seen.subjects[Int(kind.rawValue)] }

  private static let subjects: [String] = {
    var subjects = Array(repeating: "", count: 256)
    for kind in EventKind.allCases {
      subjects[Int(kind.rawValue)] = String(kind.text.prefix { $0 != "." })
    }
    return subjects
  }()

  var isQueueFact: Bool { isOfTransactions && !isFromStore }
  var isPurchaseFact: Bool {
    kind == .transactionPurchased || kind == .transactionRestored || kind == .subscriptionRenewed
  }
  var isFamilyShared: Bool { string("ownership") == "familyShared" }
  var isDelivery: Bool {
    guard isQueueFact else { return false }
    return kind == .transactionPurchased || kind == .transactionRestored
      || kind == .transactionFailed
  }

  func value(_ name: String) -> JSONText? {
    Seen.names(name, event.type.kind) ? event.data[name].map { JSONText($0) } : nil
  }
  func string(_ name: String) -> String? { value(name)?.string }
  func name(_ name: String) -> Name? { string(name).map { Name($0) } }
  func time(_ name: String) -> Int64? { Seen.time(name, of: event) }
  func isTrue(_ name: String) -> Bool {
    if case .bool(true)? = value(name) { return true }
    return false
  }
  func isFalse(_ name: String) -> Bool {
    if case .bool(false)? = value(name) { return true }
    return false
  }

  /// Whether a type names a field; one that it does not name is kept and says nothing. Told apart
  /// are the fields that are looked for in events of several types; the recorded histories state
  /// those of a purchase in renewals too.
  private static func names(_ field: String, _ kind: EventKind) -> Bool {
    let isOfPurchases =
      kind == .transactionPurchased || kind == .transactionRestored || kind == .subscriptionRenewed
    switch field {
    case "downloads", "quantity", "ownership", "purchasedAt", "isUpgraded": return isOfPurchases
    case "expiresAt": return isOfPurchases || subjects[Int(kind.rawValue)] == "subscription"
    default: return true
    }
  }

  private static func time(_ name: String, of event: Event) -> Int64? {
    guard names(name, event.type.kind), let bytes = event.data[name],
      let text = JSONText(bytes).string
    else { return nil }
    return microseconds(ofTime: text)
  }

  /// The fold's order: store time, sequence, id by its bytes.
  static func precedes(_ left: Seen, _ right: Seen) -> Bool {
    if left.at != right.at { return left.at < right.at }
    if left.sequence != right.sequence { return left.sequence < right.sequence }
    return left.event.id < right.event.id
  }
}
