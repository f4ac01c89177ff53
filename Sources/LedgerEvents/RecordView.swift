/// A record that is read in place. It borrows its bytes and copies nothing until asked.
///
/// Every length is checked against the available bytes, so a damaged record causes an error and
/// never a trap.
public struct RecordView: ~Escapable {
  let bytes: Span<UInt8>
  /// The kind of the event.
  public let kind: EventKind
  let sourceCode: UInt8
  /// The environment, as the event states it.
  public let environment: StoreEnvironment?
  let flags: UInt8
  let names: UInt16
  /// The position in the log, from 1.
  public let position: UInt64
  /// Store time, as the event states it.
  public let occurredAt: Instant
  /// Ledger time.
  public let recordedAt: Instant
  /// How many names had a number before this event. The event introduces those of its numbers that
  /// are higher.
  public let namesBefore: NameNumber
  /// The sequence, as the event states it.
  public let sequence: Int64?
  /// The number of names inside `data` that have numbers.
  public let dataNameCount: Int
  private let dataNamesAt: Int
  private let idAt: Int
  private let idCount: Int
  private let commitmentAt: Int
  private let commitmentCount: Int
  private let fieldsAt: Int

  /// Reads the header.
  ///
  /// - Parameters:
  ///   - record: The record's bytes.
  ///   - isChecked: Whether to verify the checksum, which takes most of the time. A caller that has
  ///     just verified it can skip it.
  /// - Throws: `RecordError` if the bytes are not a record of a known version.
  /// - Complexity: O(*n*) in the size of the record if the checksum is verified, otherwise O(1).
  @_lifetime(copy record)
  public init(_ record: Span<UInt8>, isChecked: Bool = true) throws(RecordError) {
    guard record.count >= Record.headerBytes + Record.checksumBytes else {
      throw .damaged("it has \(record.count) bytes, fewer than a header and a checksum")
    }
    guard record[0] == Record.formatVersion else {
      throw RecordError(
        .unknownVersion,
        "the record is of format \(record[0]), and this version of daybook reads "
          + "\(Record.formatVersion): use the version that wrote it, or a newer one")
    }
    let end = record.count - Record.checksumBytes
    let body = record.extracting(0..<end)
    if isChecked, XXH64.hash(body) != load64(record, end) {
      throw .damaged("its checksum does not match its bytes")
    }
    bytes = body
    guard let kind = EventKind(rawValue: body[1]) else {
      throw .damaged("it has the unknown type number \(body[1])")
    }
    self.kind = kind
    sourceCode = body[2] & 15
    let environmentCode = body[2] >> 4
    environment = StoreEnvironment(rawValue: environmentCode)
    flags = body[3]
    names = UInt16(body[4]) | UInt16(body[5]) << 8
    guard environment != nil || environmentCode == 0, flags & ~Record.Flags.known == 0,
      names < 512,
      sourceCode == 0 || sourceCode == Record.unknownSource
        || EventSource.Kind(rawValue: sourceCode - 1) != nil
    else { throw .damaged("its header has values that no version writes") }
    position = UInt64(load32(body, 6))
    occurredAt = Instant(microseconds: Int64(bitPattern: load64(body, 10)))
    recordedAt = Instant(microseconds: Int64(bitPattern: load64(body, 18)))
    namesBefore = load32(body, Record.namesBeforeAt)
    guard occurredAt.isWritable, recordedAt.isWritable else {
      throw .damaged("a time in it is outside the years that can be written")
    }

    var cursor = RecordCursor(body, at: Record.headerBytes)
    try cursor.skip(4 * names.nonzeroBitCount)
    var count = 0
    if flags & Record.Flags.dataNames != 0 {
      let found = try cursor.varint()
      guard found <= UInt64(body.count) else { throw .damaged("it counts more names than it has") }
      count = Int(found)
    }
    dataNameCount = count
    dataNamesAt = cursor.index
    try cursor.skip(4 * count)
    if flags & Record.Flags.sequence != 0 {
      let stated = Int64(bitPattern: try cursor.varint())
      guard stated >= 0 else { throw .damaged("its sequence is negative") }
      sequence = stated
    } else {
      sequence = nil
    }
    idCount = flags & Record.Flags.packedID != 0 ? 16 : Int(try cursor.byte())
    idAt = cursor.index
    try cursor.skip(idCount)
    commitmentCount = flags & Record.Flags.commitment != 0 ? Int(try cursor.byte()) : 0
    commitmentAt = cursor.index
    try cursor.skip(commitmentCount)
    fieldsAt = cursor.index
  }

  /// Returns the number of one of the envelope's names, or 0 if the event does not state it.
  ///
  /// - Complexity: O(1).
  public func number(_ slot: NameSlot) -> NameNumber {
    let bit = UInt16(1) << UInt16(slot.rawValue)
    guard names & bit != 0 else { return 0 }
    let before = (names & (bit - 1)).nonzeroBitCount
    return load32(bytes, Record.headerBytes + 4 * before)
  }

  /// The numbers of the envelope's names, by the raw values of their slots; 0 for names that the
  /// event does not state. Faster than asking for each of them.
  ///
  /// - Complexity: O(1).
  package var envelopeNumbers: InlineArray<9, NameNumber> {
    var numbers = InlineArray<9, NameNumber>(repeating: 0)
    var index = Record.headerBytes
    var rest = names
    while rest != 0 {
      numbers[rest.trailingZeroBitCount] = load32(bytes, index)
      index &+= 4
      rest &= rest &- 1
    }
    return numbers
  }

  /// The greatest number of a name that the record uses; 0 if it uses none.
  ///
  /// - Complexity: O(*n*) in the number of names.
  package var greatestNumber: NameNumber {
    var greatest: NameNumber = 0
    for index in 0..<names.nonzeroBitCount {
      greatest = max(greatest, load32(bytes, Record.headerBytes + 4 * index))
    }
    for index in 0..<dataNameCount { greatest = max(greatest, dataNumber(index)) }
    return greatest
  }

  /// Returns the number of a name inside `data`, in the order of `Event.nameUses`.
  ///
  /// - Precondition: `index` is less than `dataNameCount`.
  public func dataNumber(_ index: Int) -> NameNumber {
    precondition(index >= 0 && index < dataNameCount, "no such name")
    return load32(bytes, dataNamesAt + 4 * index)
  }

  /// Who recorded the event, as one of the sources that the model distinguishes.
  public var source: EventSource.Kind {
    sourceCode == 0 || sourceCode == Record.unknownSource
      ? .app : EventSource.Kind(rawValue: sourceCode - 1) ?? .app
  }

  /// Whether the event has an `error`, which is personal data itself.
  public var hasError: Bool { flags & Record.Flags.error != 0 }

  /// The salted hash of the personal data, if the ledger made one.
  public var commitment: [UInt8]? {
    if flags & Record.Flags.commitment == 0 { return nil }
    return (commitmentAt..<commitmentAt + commitmentCount).map { bytes[$0] }
  }

  /// The members of `data` that the record contains.
  public var fields: RecordFields {
    @_lifetime(copy self) get { RecordFields(bytes, at: fieldsAt) }
  }
}

/// One of the nine names of an envelope, in the order of `Event.nameUses`.
public enum NameSlot: UInt8, CaseIterable, Sendable {
  case app = 0
  case account = 1
  case device = 2
  case session = 3
  case payment = 4
  case product = 5
  case transaction = 6
  case originalTransaction = 7
  case download = 8

  /// The kind of the name.
  public var kind: NameKind {
    switch self {
    case .app: .app
    case .account: .account
    case .device: .device
    case .session: .session
    case .payment: .payment
    case .product: .product
    case .transaction, .originalTransaction: .transaction
    case .download: .download
    }
  }
}

// MARK: - The id

extension RecordView {
  /// The event's id.
  ///
  /// - Throws: `RecordError` if it is not UTF-8.
  public func id() throws(RecordError) -> Name {
    if let packedID {
      var text: [UInt8] = []
      packedID.append(to: &text)
      return Name(String(decoding: text, as: UTF8.self))
    }
    return Name(try recordText(bytes.extracting(idAt..<idAt + idCount)))
  }

  /// Replaces `text` with the bytes of the id, without creating a string.
  ///
  /// - Complexity: O(*n*) in the length of the id. Does not allocate if `text` has enough capacity.
  public func copyID(to text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    if let packedID {
      packedID.append(to: &text)
    } else {
      for index in idAt..<idAt + idCount { text.append(bytes[index]) }
    }
  }

  /// The first eight bytes of the id's text, the first byte highest, padded with zeros.
  public var idPrefix: UInt64 {
    packedID?.prefix ?? NameKey.prefix(bytes, idAt..<idAt + idCount)
  }

  private var packedID: PackedUUID? {
    if flags & Record.Flags.packedID == 0 { return nil }
    return PackedUUID(
      high: load64(bytes, idAt).byteSwapped, low: load64(bytes, idAt + 8).byteSwapped)
  }
}

func recordText(_ bytes: Span<UInt8>) throws(RecordError) -> String {
  do {
    return String(copying: try UTF8Span(validating: bytes))
  } catch {
    throw .damaged("a text in it is not UTF-8")
  }
}

/// Reads a record's bytes in order, with bounds checks.
struct RecordCursor: ~Escapable {
  let bytes: Span<UInt8>
  var index: Int

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, at index: Int) {
    self.bytes = bytes
    self.index = index
  }

  var isAtEnd: Bool { index == bytes.count }

  // Called several times for each record: the calls cost more than what they do.
  @inline(__always)
  mutating func skip(_ count: Int) throws(RecordError) {
    guard count >= 0, count <= bytes.count - index else {
      throw .damaged("a length in it exceeds the record")
    }
    index += count
  }

  @inline(__always)
  mutating func byte() throws(RecordError) -> UInt8 {
    let start = index
    try skip(1)
    return bytes[start]
  }

  mutating func varint() throws(RecordError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      let part = UInt64(byte & 0x7F)
      guard shift < 63 || part <= 1 else { throw .damaged("a number in it exceeds 64 bits") }
      number |= part << shift
      if byte < 0x80 { return number }
      shift += 7
      guard shift <= 63 else { throw .damaged("a number in it exceeds 64 bits") }
    }
  }
}

extension InlineArray where Element == NameNumber, count == 9 {
  /// The number of the name in a slot of the envelope.
  package subscript(_ slot: NameSlot) -> NameNumber { self[Int(slot.rawValue)] }
}
