/// A fact about a purchase, as described in `events.md`.
///
/// An event that was built in code is not necessarily valid: `EventDecoder` checks text, and
/// `Event.validate()` checks a value. The position and the ledger time are not part of an event;
/// the ledger adds them.
public struct Event: Sendable {
  /// All fields of an event.
  @usableFromInline
  struct Fields: Sendable {
    @usableFromInline var id: Name
    @usableFromInline var type: EventType
    @usableFromInline var occurredAt: Instant
    @usableFromInline var source: EventSource?
    @usableFromInline var environment: StoreEnvironment?
    @usableFromInline var app: Name?
    @usableFromInline var account: Name?
    @usableFromInline var device: Name?
    @usableFromInline var session: Name?
    @usableFromInline var sequence: Int64?
    @usableFromInline var payment: Name?
    @usableFromInline var product: Name?
    @usableFromInline var transaction: Name?
    @usableFromInline var originalTransaction: Name?
    @usableFromInline var download: Name?
    @usableFromInline var data: EventData

    @usableFromInline
    init(
      id: Name, type: EventType, occurredAt: Instant, source: EventSource?,
      environment: StoreEnvironment?, app: Name?, account: Name?, device: Name?, session: Name?,
      sequence: Int64?, payment: Name?, product: Name?, transaction: Name?,
      originalTransaction: Name?, download: Name?, data: EventData
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

  /// Shared by copies. An event is passed on many times and hardly ever changed, and copying its
  /// dozen strings one by one took more time than encoding them.
  @usableFromInline
  final class Storage: Sendable {
    @usableFromInline let fields: Fields

    @usableFromInline
    init(_ fields: Fields) { self.fields = fields }
  }

  @usableFromInline var storage: Storage

  public init(
    id: Name, type: EventType, occurredAt: Instant, source: EventSource? = nil,
    environment: StoreEnvironment? = nil, app: Name? = nil, account: Name? = nil,
    device: Name? = nil, session: Name? = nil, sequence: Int64? = nil, payment: Name? = nil,
    product: Name? = nil, transaction: Name? = nil, originalTransaction: Name? = nil,
    download: Name? = nil, data: EventData = EventData()
  ) {
    storage = Storage(
      Fields(
        id: id, type: type, occurredAt: occurredAt, source: source, environment: environment,
        app: app, account: account, device: device, session: session, sequence: sequence,
        payment: payment, product: product, transaction: transaction,
        originalTransaction: originalTransaction, download: download, data: data))
  }

  @usableFromInline
  mutating func set<Value>(_ field: WritableKeyPath<Fields, Value>, _ value: Value) {
    var fields = storage.fields
    fields[keyPath: field] = value
    storage = Storage(fields)
  }
}

extension Event {
  /// The idempotency key, 1 to 128 bytes.
  @inlinable public var id: Name {
    get { storage.fields.id }
    set { set(\.id, newValue) }
  }

  /// What happened.
  @inlinable public var type: EventType {
    get { storage.fields.type }
    set { set(\.type, newValue) }
  }

  /// Store time: when the event happened, by the clock of its observer.
  @inlinable public var occurredAt: Instant {
    get { storage.fields.occurredAt }
    set { set(\.occurredAt, newValue) }
  }

  /// The source as stated. An absent source means `app`.
  @inlinable public var source: EventSource? {
    get { storage.fields.source }
    set { set(\.source, newValue) }
  }

  /// The environment as stated. If it is absent, the model derives it.
  @inlinable public var environment: StoreEnvironment? {
    get { storage.fields.environment }
    set { set(\.environment, newValue) }
  }

  /// The bundle identifier.
  @inlinable public var app: Name? {
    get { storage.fields.app }
    set { set(\.app, newValue) }
  }

  /// The customer's account, under the id that the app uses.
  @inlinable public var account: Name? {
    get { storage.fields.account }
    set { set(\.account, newValue) }
  }

  /// The device that observed the event.
  @inlinable public var device: Name? {
    get { storage.fields.device }
    set { set(\.device, newValue) }
  }

  /// The launch of the app.
  @inlinable public var session: Name? {
    get { storage.fields.session }
    set { set(\.session, newValue) }
  }

  /// A counter that the recorder increments within one session; at least 0.
  @inlinable public var sequence: Int64? {
    get { storage.fields.sequence }
    set { set(\.sequence, newValue) }
  }

  /// The payment in the queue that the event is about.
  @inlinable public var payment: Name? {
    get { storage.fields.payment }
    set { set(\.payment, newValue) }
  }

  /// The product that the event is about.
  @inlinable public var product: Name? {
    get { storage.fields.product }
    set { set(\.product, newValue) }
  }

  /// The transaction that the event is about.
  @inlinable public var transaction: Name? {
    get { storage.fields.transaction }
    set { set(\.transaction, newValue) }
  }

  /// The first transaction of the chain.
  @inlinable public var originalTransaction: Name? {
    get { storage.fields.originalTransaction }
    set { set(\.originalTransaction, newValue) }
  }

  /// The download, unique only within its transaction.
  @inlinable public var download: Name? {
    get { storage.fields.download }
    set { set(\.download, newValue) }
  }

  /// The fields that are specific to the type.
  @inlinable public var data: EventData {
    get { storage.fields.data }
    set { set(\.data, newValue) }
  }
}

/// An event in the ledger, with its position in the log and its ledger time.
public struct RecordedEvent: Sendable {
  /// The position in the log, counted from 1 without gaps.
  public var position: UInt64
  /// Ledger time: the ledger's clock at the append. It is not guaranteed to increase.
  public var recordedAt: Instant
  public var event: Event

  public init(position: UInt64, recordedAt: Instant, event: Event) {
    self.position = position
    self.recordedAt = recordedAt
    self.event = event
  }
}
