/// A fact that happened to a purchase, as `events.md` describes it.
///
/// An event made by hand is not yet a valid one: `EventDecoder` checks text, `Event.validate()`
/// checks a value. What the ledger adds (position, ledger time) is not part of it.
public struct Event: Sendable {
  /// What an event states, in one place.
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

  /// Shared by copies: an event is handed on many times and changed nearly never, and copying its
  /// dozen texts one by one took more time than encoding them.
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

  /// Store time: the clock of whoever saw it.
  @inlinable public var occurredAt: Instant {
    get { storage.fields.occurredAt }
    set { set(\.occurredAt, newValue) }
  }

  /// As stated; absent means `app`.
  @inlinable public var source: EventSource? {
    get { storage.fields.source }
    set { set(\.source, newValue) }
  }

  /// As stated; what is absent is derived by the model.
  @inlinable public var environment: StoreEnvironment? {
    get { storage.fields.environment }
    set { set(\.environment, newValue) }
  }

  /// The bundle identifier.
  @inlinable public var app: Name? {
    get { storage.fields.app }
    set { set(\.app, newValue) }
  }

  /// Whose purchase it is, as the app names its customer.
  @inlinable public var account: Name? {
    get { storage.fields.account }
    set { set(\.account, newValue) }
  }

  /// The device that saw it.
  @inlinable public var device: Name? {
    get { storage.fields.device }
    set { set(\.device, newValue) }
  }

  /// One launch of the app.
  @inlinable public var session: Name? {
    get { storage.fields.session }
    set { set(\.session, newValue) }
  }

  /// Counted up by a recorder within one session; at least 0.
  @inlinable public var sequence: Int64? {
    get { storage.fields.sequence }
    set { set(\.sequence, newValue) }
  }

  /// The payment in the queue that it is about.
  @inlinable public var payment: Name? {
    get { storage.fields.payment }
    set { set(\.payment, newValue) }
  }

  /// The product that it is about.
  @inlinable public var product: Name? {
    get { storage.fields.product }
    set { set(\.product, newValue) }
  }

  /// The transaction that it is about.
  @inlinable public var transaction: Name? {
    get { storage.fields.transaction }
    set { set(\.transaction, newValue) }
  }

  /// The first transaction of the chain.
  @inlinable public var originalTransaction: Name? {
    get { storage.fields.originalTransaction }
    set { set(\.originalTransaction, newValue) }
  }

  /// Unique within its transaction only.
  @inlinable public var download: Name? {
    get { storage.fields.download }
    set { set(\.download, newValue) }
  }

  /// What is particular to the type.
  @inlinable public var data: EventData {
    get { storage.fields.data }
    set { set(\.data, newValue) }
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
