/// A fact that happened to a purchase, as `events.md` describes it.
///
/// An event made by hand is not yet a valid one: `EventDecoder` checks text, `Event.validate()`
/// checks a value. What the ledger adds (position, ledger time) is not part of it.
public struct Event: Sendable {
  /// The idempotency key, 1 to 128 bytes.
  public var id: Name
  public var type: EventType
  /// Store time: the clock of whoever saw it.
  public var occurredAt: Instant
  /// As stated; absent means `app`.
  public var source: EventSource?
  public var environment: StoreEnvironment?
  /// The bundle identifier.
  public var app: Name?
  public var account: Name?
  public var device: Name?
  public var session: Name?
  /// Counted up by a recorder within one session; at least 0.
  public var sequence: Int64?
  public var payment: Name?
  public var product: Name?
  public var transaction: Name?
  public var originalTransaction: Name?
  /// Unique within its transaction only.
  public var download: Name?
  public var data: EventData

  public init(
    id: Name, type: EventType, occurredAt: Instant, source: EventSource? = nil,
    environment: StoreEnvironment? = nil, app: Name? = nil, account: Name? = nil,
    device: Name? = nil, session: Name? = nil, sequence: Int64? = nil, payment: Name? = nil,
    product: Name? = nil, transaction: Name? = nil, originalTransaction: Name? = nil,
    download: Name? = nil, data: EventData = EventData()
  ) {
    self.id = id
    self.type = type
    self.occurredAt = occurredAt
    self.source = source
    self.environment = environment
    self.app = app
    self.account = account
    self.device = device
    self.session = session
    self.sequence = sequence
    self.payment = payment
    self.product = product
    self.transaction = transaction
    self.originalTransaction = originalTransaction
    self.download = download
    self.data = data
  }
}

/// An event as the ledger holds it: with its place in the log and the ledger's clock.
public struct RecordedEvent: Sendable {
  /// From 1, without gaps.
  public var position: UInt64
  /// Ledger time: the ledger's clock when it was appended; not forced to rise.
  public var recordedAt: Instant
  public var event: Event

  public init(position: UInt64, recordedAt: Instant, event: Event) {
    self.position = position
    self.recordedAt = recordedAt
    self.event = event
  }
}
