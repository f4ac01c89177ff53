import LedgerEvents

/// The key of a transaction: its name, or its payment as long as no name is known.
enum TransactionKey: Hashable {
  case named(Name)
  case payment(Name)

  var name: Name {
    switch self {
    case .named(let name), .payment(let name): name
    }
  }
}

/// An event with the values that the oracle derives from it.
final class Seen {
  let event: Event
  let position: UInt64
  let recordedAt: Int64
  /// The believed store time: `recordedAt` if the event's clock was more than 24 hours ahead of it.
  let at: Int64
  let isClockAhead: Bool
  let signedAt: Int64?
  /// The index in the fold order of its environment, set once all events of the environment are
  /// known.
  var index = 0
  /// The transaction to which the event belongs, in its environment.
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

  /// Creates the same event in another environment, where it has a different index.
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
  /// When the store signed it, else when it happened. This orders the facts about one transaction.
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
  /// The part of a type before the point; empty for an unknown type.
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

  /// Returns whether a type has a field. A field that it does not have is stored and ignored. This
  /// distinguishes the fields that are looked up in events of several types. Recorded histories
  /// also state those of a purchase in renewals.
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

  /// The fold order: store time, sequence, id by its bytes.
  static func precedes(_ left: Seen, _ right: Seen) -> Bool {
    if left.at != right.at { return left.at < right.at }
    if left.sequence != right.sequence { return left.sequence < right.sequence }
    return left.event.id < right.event.id
  }
}
