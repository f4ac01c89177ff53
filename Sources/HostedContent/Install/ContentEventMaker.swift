internal import LedgerEvents

/// Creates the events of one attempt, with ids derived from the attempt. Each is later than the one
/// before.
struct ContentEventMaker {
  private let attempt: String
  /// The fields that all the events share.
  private let base: Event
  private let clock: () -> Instant
  private var newest: Instant?

  init(attempt: String, base: Event, clock: @escaping () -> Instant) {
    self.attempt = attempt
    self.base = base
    self.clock = clock
  }

  /// Continues an interrupted attempt, with the fields of its first event.
  init?(resuming journal: borrowing AttemptJournal, attempt: String, clock: @escaping () -> Instant)
  {
    guard let first = journal.events.first else { return nil }
    self.init(attempt: attempt, base: first, clock: clock)
    newest = journal.events.map(\.occurredAt).max()
  }

  /// Creates an event of the attempt. Even if the clock stops or goes backwards, later events get
  /// later times, so that the fold order is the order of the steps.
  mutating func event(_ kind: EventKind, _ data: EventData = EventData()) -> Event {
    let now = clock()
    let time = newest.map { max(now, Instant(microseconds: $0.microseconds + 1)) } ?? now
    newest = time
    var event = base
    event.id = Name("content-\(attempt)-\(kind.text)")
    event.type = EventType(kind)
    event.occurredAt = time
    event.data = data
    return event
  }
}

/// The error of a failed install, in the form that its event contains.
///
/// The domain is `DaybookContent`. The meaning of a number never changes.
enum ContentFailure {
  static let domain = "DaybookContent"
  static let interruptedNumber = 9

  static let interrupted = value(
    interruptedNumber, "interrupted: the process ended before the content was in position")

  static func value(of error: ContentError) -> JSONValue {
    value(number(error.code), "\(error.code.rawValue): \(error.description)")
  }

  private static func value(_ number: Int, _ message: String) -> JSONValue {
    .object([
      ("domain", .string(domain)), ("code", .number("\(number)")), ("message", .string(message)),
    ])
  }

  private static func number(_ code: ContentError.Code) -> Int {
    switch code {
    case .missing: 1
    case .inputOutput: 2
    case .diskFull: 3
    case .malformed: 4
    case .changed: 5
    case .refused: 6
    case .exists: 7
    case .busy: 8
    }
  }
}
