/// The contents of a leaf of the log's tree: a record, the names that it introduces, and what it
/// erased.
///
/// A record has numbers in place of names, so a leaf over the record alone would not prove whom or
/// what an event is about. `Schemas/record.md` shows the bytes: the record's length, the record,
/// then an introduction for each name that the record is the first to use, in ascending order of
/// their numbers. In an `account.erased`, a hash of what it erased comes last.
public struct LeafEntry: Hashable, Sendable {
  /// The record's bytes.
  public let record: [UInt8]
  /// The names that the record introduces, in ascending order of their numbers.
  public let introductions: [Introduction]
  /// The hash of the list of what an `account.erased` erased; `nil` in all other entries.
  public let erasure: [UInt8]?

  /// The size of that hash in bytes, which is SHA-256.
  public static let erasureByteCount = 32

  /// The maximum size of an entry that is read, in bytes. A record of the largest event, with all
  /// its names twice, is far smaller.
  public static let byteCountMax = 1 << 23

  /// Appends the beginning of an entry: the record's length and the record. The introductions
  /// follow.
  public static func append(_ record: Span<UInt8>, to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(UInt32(record.count))
    bytes.append(addingCapacity: record.count) { out in
      for index in record.indices { out.append(record[index]) }
    }
  }

  /// Parses an entry.
  ///
  /// - Throws: `RecordError` if the bytes are not an entry, or if the introductions are not those
  ///   that the record needs.
  /// - Complexity: O(*n*) in the size of the entry.
  public init(_ bytes: Span<UInt8>) throws(RecordError) {
    guard bytes.count <= LeafEntry.byteCountMax else {
      throw .damaged("its leaf has more than \(LeafEntry.byteCountMax) bytes")
    }
    var cursor = RecordCursor(bytes, at: 0)
    try cursor.skip(4)
    let start = cursor.index
    try cursor.skip(Int(load32(bytes, 0)))
    let record = bytes.extracting(start..<cursor.index)
    let view = try RecordView(record)
    var found: [Introduction] = []
    for number in view.introducedNumbers {
      found.append(try Introduction(&cursor, number: number))
    }
    erasure =
      view.kind == .accountErased
      ? try cursor.hash(byteCount: LeafEntry.erasureByteCount) : nil
    guard cursor.isAtEnd else { throw .damaged("its leaf has bytes after its end") }
    self.record = record.indices.map { record[$0] }
    introductions = found
  }
}

/// A name, as introduced by a leaf.
public struct Introduction: Hashable, Sendable {
  public let number: NameNumber
  public let kind: NameKind
  public let content: Content

  /// How an introduction gives the name.
  public enum Content: Hashable, Sendable {
    /// The text of a name that does not identify a person.
    case text(Name)
    /// The commitment to a person's name and to the hash that it is looked up by.
    case commitment([UInt8])
  }

  /// The size of a commitment in bytes: that of a SHA-256 hash.
  public static let commitmentByteCount = 32

  /// Appends the introduction of a name that does not identify a person.
  public static func append(_ kind: NameKind, text: Span<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    bytes.appendLittleEndian(UInt16(text.count))
    bytes.append(addingCapacity: text.count) { out in
      for index in text.indices { out.append(text[index]) }
    }
  }

  /// Appends the introduction of a name that identifies a person.
  public static func append(
    _ kind: NameKind, commitment: Span<UInt8>, to bytes: inout [UInt8]
  ) {
    bytes.append(kind.rawValue)
    for index in commitment.indices { bytes.append(commitment[index]) }
  }

  init(_ cursor: inout RecordCursor, number: NameNumber) throws(RecordError) {
    guard let kind = NameKind(rawValue: try cursor.byte()) else {
      throw .damaged("its leaf introduces a name of an unknown kind")
    }
    self.number = number
    self.kind = kind
    if kind.isPersonal {
      content = .commitment(try cursor.hash(byteCount: Introduction.commitmentByteCount))
    } else {
      let count = Int(try cursor.byte()) | Int(try cursor.byte()) << 8
      let start = cursor.index
      try cursor.skip(count)
      content = .text(Name(try recordText(cursor.bytes.extracting(start..<cursor.index))))
    }
  }

}

extension RecordCursor {
  fileprivate mutating func hash(byteCount: Int) throws(RecordError) -> [UInt8] {
    let start = index
    try skip(byteCount)
    return (start..<index).map { bytes[$0] }
  }
}

extension RecordView {
  /// Calls `body` with the number of each name that the event uses, in the order of
  /// `Event.nameUses`.
  ///
  /// - Complexity: O(*n*) in the number of uses. Does not allocate.
  public func forEachNumber<Failure: Error>(
    _ body: (NameNumber) throws(Failure) -> Void
  ) throws(Failure) {
    for slot in NameSlot.allCases {
      let number = number(slot)
      if number != 0 { try body(number) }
    }
    for index in 0..<dataNameCount { try body(dataNumber(index)) }
  }

  /// The highest name number in use after this record.
  ///
  /// - Complexity: O(*n*) in the number of names that the event uses.
  public var namesAfter: NameNumber {
    var highest = namesBefore
    forEachNumber { highest = max(highest, $0) }
    return min(highest, nameNumberMax)
  }

  /// The numbers of the names that the record introduces.
  ///
  /// - Complexity: O(*n*) in the number of names that the event uses.
  public var introducedNumbers: Range<NameNumber> {
    let before = min(namesBefore, nameNumberMax)
    return before + 1..<max(before, namesAfter) + 1
  }
}

extension NameKind {
  /// Whether names of this kind identify a person.
  public var isPersonal: Bool {
    switch self {
    case .account, .device, .session: true
    case .app, .payment, .product, .transaction, .download: false
    }
  }
}
