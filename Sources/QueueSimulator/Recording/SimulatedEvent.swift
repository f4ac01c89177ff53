internal import LedgerEvents

/// An event of a run with indices instead of names: small, and without allocations.
///
/// An index is absent if the event does not state the field.
struct SimulatedEvent: Hashable, Sendable {
  /// Details that are not indices.
  enum Note: UInt8, Sendable {
    case none
    case allowed, notAllowed
    case cancelledByCustomer, paymentRefused, networkLost, diskFull, fileMissing, backendDown
    case simulatorHostsNothing
    case crashed, quit
  }

  var kind: EventKind
  var source: EventSource.Kind
  /// In microseconds.
  var time: Int64
  var device: Int16 = .absent
  var session: Int16 = .absent
  var sequence: Int32 = .absent
  var account: Int16 = .absent
  var payment: Int32 = .absent
  var product: Int16 = .absent
  var transaction: Int32 = .absent
  var original: Int32 = .absent
  var part: Int16 = .absent
  /// The rank of the version.
  var version: Int16 = .absent
  /// In thousandths; absent if none is stated.
  var progress: Int16 = .absent
  /// In tenths of a second, or `remainingUnknown`.
  var remaining = SimulatedEvent.remainingUnknown
  var quantity: Int16 = 1
  var purchasedAt: Int64 = 0
  var note = Note.none
  /// The position in the recording, from 1, of the event that this one repeats under the same id; 0
  /// for a new event.
  var repeats: Int32 = 0

  /// StoreKit's −1 second, which means that the remaining time is not known yet.
  static let remainingUnknown: Int32 = -10

  init(_ kind: EventKind, _ source: EventSource.Kind, at time: Int64) {
    self.kind = kind
    self.source = source
    self.time = time
  }
}

/// The events of a run in order.
struct Recording: Sendable {
  private(set) var events: [SimulatedEvent] = []
  private(set) var counts = EventCounts()

  /// The capacity reserved for events, which is enough for most runs.
  private static let usualCount = 128

  init() { events.reserveCapacity(Self.usualCount) }

  var count: Int { events.count }

  mutating func append(_ event: SimulatedEvent) {
    events.append(event)
    counts.add(event.kind)
  }

  func count(of kind: EventKind) -> Int { counts[kind] }
}

/// The number of events of each kind.
struct EventCounts: Sendable {
  private var counts: [UInt16] = Array(repeating: 0, count: EventKind.allCases.count)

  subscript(kind: EventKind) -> Int { Int(counts[Int(kind.rawValue)]) }

  mutating func add(_ kind: EventKind) { counts[Int(kind.rawValue)] &+= 1 }

  /// Raises each number to that of another run if that is larger.
  mutating func raise(to other: EventCounts) {
    for index in counts.indices where counts[index] < other.counts[index] {
      counts[index] = other.counts[index]
    }
  }
}
