import LedgerEvents

/// A unit's state as bytes: a head, and the rows of its tables. The head has the scalars, the lists
/// of what is open, and the number of rows of each table. An undivided state is the head followed
/// by all rows; a divided one keeps the rows in pages (`Unit+Pages.swift`).
extension Unit {
  /// The version of the format below. State in another version is folded again.
  static let formatVersion: UInt8 = 3

  /// The state as bytes, undivided. Equal states have equal bytes.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  public func encoded() -> [UInt8] {
    undivided().bytes
  }

  /// Appends the undivided state to `bytes`.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  public func encode(into bytes: inout [UInt8]) {
    bytes.append(contentsOf: undivided().written)
  }

  private func undivided() -> StateWriter {
    var head = StateWriter()
    encodeHead(into: &head)
    var rows = RowWriter(writer: consume head)
    readTables(&rows)
    return rows.writer
  }

  /// Writes everything but the rows of tables.
  func encodeHead(into writer: inout StateWriter) {
    writer.write(Self.formatVersion)
    writer.write(countsEverywhere)
    writer.write(factCount)
    writer.write(lastPosition)
    writer.write(lastKey != nil)
    if let lastKey { lastKey.encode(into: &writer) }
    writer.write(environments)
    var counts = RowCounter()
    readTables(&counts)
    for count in counts.counts { writer.write(UInt64(count)) }
  }

  /// Reads a head. Its tables are empty, and the counts are those of the tables in the order of
  /// visits.
  static func head(
    from reader: inout StateReader
  ) throws(StateError) -> (unit: Unit, rowCounts: [Int]) {
    var unit = Unit()
    guard try reader.byte() == Self.formatVersion else { throw reader.error(.version) }
    unit.countsEverywhere = try reader.boolean()
    unit.factCount = try reader.index()
    unit.lastPosition = try reader.unsigned()
    unit.lastKey = try reader.boolean() ? try FoldKey(from: &reader) : nil
    unit.environments = try reader.list()
    guard unit.factCount >= 0 else { throw reader.error() }
    var tables = RowCounter()
    unit.readTables(&tables)
    var counts: [Int] = []
    for _ in tables.counts { counts.append(try reader.rowCount()) }
    return (unit, counts)
  }

  /// Decodes state that `encoded()` wrote, lent from a page. The bytes are copied once.
  ///
  /// - Throws: `StateError` under the same conditions as `init(decoding:)` for an array.
  public init(decoding bytes: Span<UInt8>) throws(StateError) {
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for index in bytes.indices { copy.append(bytes[index]) }
    try self.init(decoding: copy)
  }

  /// Decodes state that `encoded()` wrote.
  ///
  /// - Throws: `StateError` if the bytes are damaged or in another version. No index in a decoded
  ///   state is outside its table.
  /// - Complexity: O(*n*) in the size of the state.
  public init(decoding bytes: [UInt8]) throws(StateError) {
    var reader = StateReader(bytes)
    let (head, counts) = try Unit.head(from: &reader)
    self = head
    var rows = RowReader(reader: reader, counts: counts)
    visitTables(&rows)
    if let failure = rows.failure { throw failure }
    guard rows.reader.isAtEnd, isConsistent else { throw rows.reader.error() }
  }

  /// Whether every index in the state is within its table.
  var isConsistent: Bool {
    identity.isConsistent && environments.allSatisfy(\.isConsistent)
  }
}

extension Identity {
  fileprivate var isConsistent: Bool {
    payments.count == paymentIndex.keys.count && roots.count == rootIndex.keys.count
      && sessions.count == sessionIndex.keys.count
  }
}

/// Writes the rows of all tables, one after the other.
private struct RowWriter: StateTableReader {
  var writer: StateWriter

  mutating func read<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: StateTable<Row>
  ) {
    for row in table { row.encode(into: &writer) }
  }
}

/// Reads the rows of all tables, one after the other.
private struct RowReader: StateTableVisitor {
  var reader: StateReader
  let counts: [Int]
  /// Why not all rows were read.
  private(set) var failure: StateError?
  private var tablesRead = 0

  static var readsTables: Bool { true }

  init(reader: StateReader, counts: [Int]) {
    self.reader = reader
    self.counts = counts
  }

  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>
  ) {
    if failure != nil { return }
    do throws(StateError) { table = StateTable(try reader.rows(counts[tablesRead])) } catch {
      failure = error
    }
    tablesRead += 1
  }
}

/// Counts the rows of each table.
struct RowCounter: StateTableReader {
  private(set) var counts: [Int] = []

  mutating func read<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: StateTable<Row>
  ) {
    counts.append(table.count)
  }
}

/// An environment and two flags, in one byte.
private func packed(_ environment: StoreEnvironment?, _ first: Bool, _ second: Bool) -> UInt8 {
  (environment?.rawValue ?? 0) << 2 | (first ? 1 : 0) | (second ? 2 : 0)
}

extension StateReader {
  fileprivate mutating func packed() throws(StateError) -> (StoreEnvironment?, Bool, Bool) {
    let value = try byte()
    let environment = StoreEnvironment(rawValue: value >> 2)
    if environment == nil && value >> 2 != 0 { throw error() }
    return (environment, value & 1 != 0, value & 2 != 0)
  }
}

extension Identity.Root: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    (environment, isBegun, mixtureFound) = try reader.packed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(packed(environment, isBegun, mixtureFound))
  }
}

extension Identity.Session: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    (environment, isReliedUpon, _) = try reader.packed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(packed(environment, isReliedUpon, false))
  }
}
