/// Reads the members of one event's object, in any order.
struct EnvelopeReader: ~Escapable {
  private var scanner: JSONScanner
  private let names = EnvelopeNames.shared
  private var id: Name?
  private var type: EventType?
  private var occurredAt: Instant?
  private var source: EventSource?
  private var environment: StoreEnvironment?
  private var app: Name?
  private var account: Name?
  private var device: Name?
  private var session: Name?
  private var sequence: Int64?
  private var payment: Name?
  private var product: Name?
  private var transaction: Name?
  private var originalTransaction: Name?
  private var download: Name?
  private var position: UInt64?
  private var recordedAt: Instant?
  private var data = EventData()
  /// The start of `data` if it came before the type, which determines what `data` can contain.
  private var dataStart: Int?
  /// Whether `data` has a member that is not in the vocabulary, or one that contains objects, whose
  /// members are not looked up here.
  private var hasUncheckedNames = false
  /// The fields read so far, as a bit set of their indexes.
  private var seen: UInt32 = 0
  /// The field that comes next if the writer keeps to the usual order.
  private var expected = 0
  /// The offset of the closing brace, where missing fields are reported.
  private var end = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { scanner = JSONScanner(text) }

  /// Reads the whole line.
  mutating func read() throws(EventError) {
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else {
      throw scanner.failure(
        "expected an object: each line is one event and begins with '{', found \(scanner.found)")
    }
    try scanner.open()
    scanner.skipSpace()
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        try member()
        scanner.skipSpace()
      } while try scanner.another(UInt8(ascii: "}"))
    }
    end = scanner.index - 1
    scanner.skipSpace()
    guard scanner.isAtEnd else {
      throw scanner.failure("expected the end of the line after the event, found \(scanner.found)")
    }
  }

  private mutating func member() throws(EventError) {
    let name = try scanner.name()
    guard let field = names.field(name, in: scanner, expected: &expected) else {
      throw EnvelopeNames.unknown(try scanner.text(name), at: name.start)
    }
    let bit = UInt32(1) << UInt32(field.index)
    guard seen & bit == 0 else {
      throw EventError(at: name.start, "appears twice").within(field.rawValue)
    }
    seen |= bit
    do throws(EventError) {
      if field != .data {
        try read(field, try scanner.value())
      } else if let type {
        try readData(Vocabulary.rule(type.kind))
      } else {
        dataStart = scanner.index
        _ = try scanner.value()
      }
    } catch {
      throw error.within(field.rawValue)
    }
  }

  private mutating func read(_ field: EnvelopeField, _ value: JSONRange) throws(EventError) {
    switch field {
    case .id: id = try name(value, bytesMax: eventIDBytesMax)
    case .type: type = try EventTypeReader.type(value, in: scanner)
    case .occurredAt: occurredAt = try time(value)
    case .source:
      try scanner.checkName(value)
      source = try source(value)
    case .environment:
      environment = StoreEnvironment.all[try scanner.word(value, of: StoreEnvironment.texts)]
    case .app: app = try name(value)
    case .account: account = try name(value)
    case .device: device = try name(value)
    case .session: session = try name(value)
    case .sequence: sequence = try scanner.integer(value, minimum: 0)
    case .payment: payment = try name(value)
    case .product: product = try name(value)
    case .transaction: transaction = try name(value)
    case .originalTransaction: originalTransaction = try name(value)
    case .download: download = try name(value)
    case .position: position = UInt64(try scanner.integer(value, minimum: 1))
    case .recordedAt: recordedAt = try time(value)
    case .data: break
    }
  }

  /// Compares in place, because nearly every event states its source.
  private func source(_ value: JSONRange) throws(EventError) -> EventSource {
    for kind in EventSource.Kind.all where scanner.isText(value, kind.text) {
      return EventSource(kind)
    }
    return EventSource(text: try scanner.text(value))
  }

  private func name(
    _ value: JSONRange, bytesMax: Int = nameBytesMax
  ) throws(EventError) -> Name {
    try scanner.checkName(value, bytesMax: bytesMax)
    return Name(try scanner.text(value))
  }

  private func time(_ value: JSONRange) throws(EventError) -> Instant {
    try scanner.demand(.string, value)
    let instant: Instant?
    if value.isEscaped {
      instant = Instant(rfc3339: try scanner.text(value))
    } else {
      instant = Instant(rfc3339: scanner.bytes, value.inside)
    }
    guard let instant else {
      throw EventError(
        at: value.start,
        "expected an RFC 3339 time with an offset, such as \"2014-03-05T10:00:01Z\", found "
          + (try scanner.shortText(value)))
    }
    guard instant.isInEnvelopeRange else {
      throw EventError(
        at: value.start,
        "expected a time in the years 1970 to 9999 (UTC), found \(try scanner.shortText(value))")
    }
    return instant
  }

  private mutating func readData(_ rule: Vocabulary.Rule) throws(EventError) {
    guard scanner.next == UInt8(ascii: "{") else {
      try scanner.demand(.object, try scanner.value())
      return
    }
    let first = scanner.members.count
    try scanner.open()
    scanner.skipSpace()
    if !scanner.take(UInt8(ascii: "}")) {
      data.members.reserveCapacity(4)
      repeat {
        let name = try scanner.memberName(first: first)
        try readMember(name, rule)
        scanner.skipSpace()
      } while try scanner.another(UInt8(ascii: "}"))
    }
    scanner.close(first: first)
  }

  private mutating func readMember(
    _ name: JSONRange, _ rule: Vocabulary.Rule
  ) throws(EventError) {
    let start = scanner.index
    let text: String
    if let found = scanner.field(name, of: rule) {
      let field = rule.fields[found]
      text = field.name
      if field.containsObjects { hasUncheckedNames = true }
      do { try scanner.check(field.type) } catch { throw error.within(text) }
    } else {
      hasUncheckedNames = true
      text = try scanner.text(name)
      do { _ = try scanner.value() } catch { throw error.within(text) }
    }
    data.members.append(EventData.Member(name: text, json: scanner.copy(start..<scanner.index)))
  }
}

// MARK: - The event

extension EnvelopeReader {
  /// Returns the event that was read, after checking what its type requires.
  mutating func input(
    defaultEnvironment: StoreEnvironment?
  ) throws(EventError) -> EventInput {
    guard let id else { throw missing(.id) }
    guard let type else { throw missing(.type) }
    guard let occurredAt else { throw missing(.occurredAt) }
    let rule = Vocabulary.rule(type.kind)
    if let dataStart {
      scanner.index = dataStart
      scanner.depth = 1
      do { try readData(rule) } catch { throw error.within("data") }
    }
    let event = Event(
      id: id, type: type, occurredAt: occurredAt, source: source,
      environment: environment ?? defaultEnvironment, app: app, account: account, device: device,
      session: session, sequence: sequence, payment: payment, product: product,
      transaction: transaction, originalTransaction: originalTransaction, download: download,
      data: data)
    do { try event.checkNeeds(rule) } catch {
      throw EventError(column: end + 1, field: error.field, reason: error.reason)
    }
    var input = EventInput(event: event, position: position, recordedAt: recordedAt)
    input.mayHaveUnknownWords =
      hasUncheckedNames || type.kind == .unknown || source?.isKnown == false
    return input
  }

  private func missing(_ field: EnvelopeField) -> EventError {
    EventError(at: end, "is missing: every event needs it").within(field.rawValue)
  }
}

extension Instant {
  /// Whether an envelope can state this instant: the years 1970 to 9999.
  var isInEnvelopeRange: Bool { microseconds >= 0 && microseconds <= Instant.microsecondsMax }
}
