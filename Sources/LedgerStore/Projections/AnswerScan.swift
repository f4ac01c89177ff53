internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// A scan of the parts of an `AnswerRow` that checks every length before it uses it.
struct AnswerScan: ~Escapable {
  struct Environment: ~Escapable {
    let number: StoreEnvironment
    let newest: Int64
    let segments: Span<UInt8>

    @_lifetime(copy segments)
    init(number: StoreEnvironment, newest: Int64, segments: Span<UInt8>) {
      self.number = number
      self.newest = newest
      self.segments = segments
    }
  }

  struct Segment: ~Escapable {
    let next: Int64
    let entries: Span<UInt8>

    @_lifetime(copy entries)
    init(next: Int64, entries: Span<UInt8>) {
      self.next = next
      self.entries = entries
    }
  }

  /// The contents of an entry. The name of its product or entitlement is read in place.
  struct Entry: ~Escapable {
    let standing: ItemStanding
    let isEntitlement: Bool
    let name: Span<UInt8>
    /// Whether the entry is a product that opens the requested entitlement.
    let opens: Bool

    @_lifetime(copy name)
    init(standing: ItemStanding, isEntitlement: Bool, name: Span<UInt8>, opens: Bool) {
      self.standing = standing
      self.isEntitlement = isEntitlement
      self.name = name
      self.opens = opens
    }
  }

  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next environment of a row.
  @_lifetime(copy self)
  @inline(__always)
  mutating func environment() throws(LedgerError) -> Environment {
    guard let number = StoreEnvironment(rawValue: try byte()) else { throw .answerDamaged }
    let newest = try moment()
    return Environment(number: number, newest: newest, segments: try counted())
  }

  /// The next segment of an environment.
  @_lifetime(copy self)
  @inline(__always)
  mutating func segment() throws(LedgerError) -> Segment {
    _ = try moment()
    let next = try moment()
    return Segment(next: next, entries: try counted())
  }

  /// Returns the next entry of a segment. `opened` is the requested entitlement, or empty if there
  /// is none.
  @_lifetime(copy self)
  mutating func entry(
    opening opened: Span<UInt8>, in environment: StoreEnvironment
  ) throws(LedgerError) -> Entry {
    guard let state = EntitlementState(rawValue: try byte()) else { throw .answerDamaged }
    let flags = try byte()
    let since = try moment()
    let end = try moment()
    let name = try counted()
    var opens = false
    var names = try half()
    while names > 0 {
      if try counted().equals(opened), !opened.isEmpty { opens = true }
      names -= 1
    }
    let standing = ItemStanding(
      state: state, since: since, end: end,
      source: flags & AnswerRow.operatorFlag != 0 ? .operator : .store, environment: environment)
    return Entry(
      standing: standing, isEntitlement: flags & AnswerRow.entitlementFlag != 0, name: name,
      opens: opens)
  }

  /// Returns the next entry of a segment with everything that the row says about it.
  mutating func wholeEntry(
    in environment: StoreEnvironment
  ) throws(LedgerError) -> StoredEntry {
    guard let state = EntitlementState(rawValue: try byte()) else { throw .answerDamaged }
    let flags = try byte()
    let since = try moment()
    let end = try moment()
    let name = try name()
    var names: [Name] = []
    for _ in 0..<(try half()) { names.append(try self.name()) }
    return StoredEntry(
      item: ItemReference(name, isEntitlement: flags & AnswerRow.entitlementFlag != 0),
      entitlements: names,
      standing: ItemStanding(
        state: state, since: since, end: end,
        source: flags & AnswerRow.operatorFlag != 0 ? .operator : .store, environment: environment))
  }

  private mutating func name() throws(LedgerError) -> Name {
    guard let text = String(validating: [UInt8](copying: try counted()), as: UTF8.self) else {
      throw .answerDamaged
    }
    return Name(text)
  }

  @inline(__always)
  private func require(_ count: Int) throws(LedgerError) {
    guard bytes.count - offset >= count else { throw .answerDamaged }
  }

  @inline(__always)
  private mutating func byte() throws(LedgerError) -> UInt8 {
    try require(1)
    defer { offset += 1 }
    return bytes[offset]
  }

  @inline(__always)
  private mutating func half() throws(LedgerError) -> UInt32 {
    try require(4)
    defer { offset += 4 }
    return bytes.bigEndianHalf(at: offset)
  }

  @inline(__always)
  private mutating func moment() throws(LedgerError) -> Int64 {
    try require(8)
    defer { offset += 8 }
    return Int64(bitPattern: bytes.bigEndianWord(at: offset))
  }

  /// The bytes after a length.
  @_lifetime(copy self)
  @inline(__always)
  private mutating func counted() throws(LedgerError) -> Span<UInt8> {
    let count = Int(try half())
    try require(count)
    defer { offset += count }
    return bytes.extracting(offset..<offset + count)
  }
}
