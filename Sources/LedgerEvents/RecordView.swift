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
      sourceCode <= UInt8(EventSource.Kind.allCases.count) || sourceCode == Record.unknownSource
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
    if flags & Record.Flags.packedID != 0 {
      var text: [UInt8] = []
      text.reserveCapacity(36)
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
        let byte = bytes[idAt + index]
        text.append(hexLetter(byte >> 4))
        text.append(hexLetter(byte & 15))
      }
      return Name(String(decoding: text, as: UTF8.self))
    }
    return Name(try recordText(bytes.extracting(idAt..<idAt + idCount)))
  }

  /// Replaces `text` with the bytes of the id, without creating a string.
  ///
  /// - Complexity: O(*n*) in the length of the id. Does not allocate if `text` has enough capacity.
  public func copyID(to text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    for index in 0..<idCount {
      let byte = bytes[idAt + index]
      if flags & Record.Flags.packedID == 0 {
        text.append(byte)
      } else {
        if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
        text.append(hexLetter(byte >> 4))
        text.append(hexLetter(byte & 15))
      }
    }
  }

  /// The first eight bytes of the id's text, the first byte highest, padded with zeros.
  public var idPrefix: UInt64 {
    if flags & Record.Flags.packedID == 0 {
      return NameKey.prefix(bytes, idAt..<idAt + idCount)
    }
    var prefix: UInt64 = 0
    for index in 0..<4 {
      let byte = bytes[idAt + index]
      prefix = prefix << 16 | UInt64(hexLetter(byte >> 4)) << 8 | UInt64(hexLetter(byte & 15))
    }
    return prefix
  }
}

private func hexLetter(_ digit: UInt8) -> UInt8 {
  digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
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

  mutating func skip(_ count: Int) throws(RecordError) {
    guard count >= 0, count <= bytes.count - index else {
      throw .damaged("a length in it exceeds the record")
    }
    index += count
  }

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
