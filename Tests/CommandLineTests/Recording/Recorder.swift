import LedgerEvents

/// Writes what happens to purchases as lines that `daybook append` takes.
struct Recorder {
  let app: Name
  let device: Name
  let session: Name
  /// Whose purchases these are; nil until you know.
  var account: Name?
  /// The clock, and where ids come from: a UUIDv7 for each event.
  let now: () -> Instant
  let makeID: () -> Name
  /// Takes a line without its line feed: write it to a file before you go on, upload it later.
  let write: ([UInt8]) -> Void

  private var sequence: Int64 = 0

  init(
    app: Name, device: Name, session: Name, account: Name? = nil,
    now: @escaping () -> Instant, makeID: @escaping () -> Name,
    write: @escaping ([UInt8]) -> Void
  ) {
    (self.app, self.device, self.session, self.account) = (app, device, session, account)
    (self.now, self.makeID, self.write) = (now, makeID, write)
  }

  mutating func record(
    _ type: EventKind, _ source: EventSource.Kind, payment: Name? = nil, product: Name? = nil,
    transaction: Name? = nil, original: Name? = nil, download: Name? = nil,
    environment: StoreEnvironment? = nil, _ data: KeyValuePairs<String, JSONValue> = [:]
  ) {
    sequence += 1
    var fields = EventData.Builder()
    for (name, value) in data { fields.set(name, value) }
    let event = Event(
      id: makeID(), type: EventType(type), occurredAt: now(), source: EventSource(source),
      environment: environment, app: app, account: account, device: device, session: session,
      sequence: sequence, payment: payment, product: product, transaction: transaction,
      originalTransaction: original, download: download, data: fields.build())
    write(EventEncoder().encode(event))
  }
}
