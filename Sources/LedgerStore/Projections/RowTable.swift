internal import LMDB
internal import LedgerEvents

/// A table of the projections whose rows carry a checksum.
///
/// The last eight bytes of a value are XXH64 of the bytes before them, seeded with the row's key
/// and the name of its table. The checksum is verified each time a row is read. So a row that was
/// changed, or that belongs to another key, is reported and never used.
struct RowTable: Sendable {
  let table: Table
  /// The name of the table in the environment and in messages.
  let name: String
  private let seed: UInt64

  /// The size of the checksum in bytes.
  static let checksumBytes = 8

  private init(_ table: Table, called name: String) {
    self.table = table
    self.name = name
    seed = XXH64.hash(Array(name.utf8).span)
  }

  /// Opens the table of that name, and creates it if it is missing.
  init(_ name: String, createdIn environment: Environment) throws(LMDBError) {
    self.init(try environment.createTable(name), called: name)
  }

  /// Opens the table of that name; `nil` if there is none.
  init?(_ name: String, of environment: Environment) throws(LMDBError) {
    guard let table = try environment.table(name) else { return nil }
    self.init(table, called: name)
  }

  /// The row of `key` without its checksum; `nil` if there is none.
  ///
  /// - Complexity: O(log *n*) in the rows and O(*k*) in the row's bytes; no allocation.
  /// - Throws: ``LedgerError``: `rebuildNeeded` if it does not match its checksum.
  @_lifetime(copy view)
  func row(_ key: Span<UInt8>, _ view: TransactionView) throws(LedgerError) -> Span<UInt8>? {
    let found: Span<UInt8>?
    do throws(LMDBError) { found = try view.get(table, key) } catch {
      throw LedgerError(ofProjections: error)
    }
    guard let found else { return nil }
    return try content(of: found, under: key)
  }

  /// The contents of `value` without its checksum.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if it does not match its checksum.
  @_lifetime(copy value)
  func content(
    of value: Span<UInt8>, under key: Span<UInt8>
  ) throws(LedgerError) -> Span<UInt8> {
    guard isWhole(value, under: key) else { throw damaged }
    return value.extracting(0..<value.count - Self.checksumBytes)
  }

  /// Whether `value` matches its checksum.
  func isWhole(_ value: Span<UInt8>, under key: Span<UInt8>) -> Bool {
    let count = value.count - Self.checksumBytes
    guard count >= 0 else { return false }
    let content = value.extracting(0..<count)
    return value.bigEndianWord(at: count) == checksum(content, under: key)
  }

  /// Writes a row with its checksum, replacing any existing one.
  func put(
    _ key: Span<UInt8>, _ content: [UInt8], _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var value = content
    value.append(bigEndianWord: checksum(content.span, under: key))
    try transaction.put(table, key, value.span)
  }

  /// The error for a damaged row.
  var damaged: LedgerError {
    .damagedProjections("A row of the projections' table \(name) does not have its checksum")
  }

  private func checksum(_ content: Span<UInt8>, under key: Span<UInt8>) -> UInt64 {
    XXH64.hash(content, seed: XXH64.hash(key, seed: seed))
  }
}

/// Iterates over the rows of a table in the order of their keys, and checks each row.
struct RowCursor: ~Copyable, ~Escapable {
  private var cursor: Cursor
  private let table: RowTable

  @_lifetime(copy view)
  init(_ table: RowTable, _ view: TransactionView) throws(LedgerError) {
    self.table = table
    do throws(LMDBError) { cursor = try view.cursor(table.table) } catch {
      throw LedgerError(ofProjections: error)
    }
  }

  /// The key of the row.
  var key: Span<UInt8> {
    @_lifetime(copy self)
    get { cursor.key }
  }

  /// The contents of the row, without its checksum.
  var content: Span<UInt8> {
    @_lifetime(copy self)
    get { cursor.value.extracting(0..<cursor.value.count - RowTable.checksumBytes) }
  }

  /// Moves to the next row, or to the first; `false` after the last.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if the row does not match its checksum.
  mutating func next() throws(LedgerError) -> Bool {
    let found: Bool
    do throws(LMDBError) { found = try cursor.next() } catch {
      throw LedgerError(ofProjections: error)
    }
    return try checked(found)
  }

  /// Moves to the first row whose key is not less than `key`; `false` if there is none.
  ///
  /// - Throws: as ``next()``, even if the row is not a requested one: a damaged key may seem to end
  ///   the rows of a prefix.
  mutating func seek(_ key: Span<UInt8>) throws(LedgerError) -> Bool {
    let found: Bool
    do throws(LMDBError) { found = try cursor.seek(key) } catch {
      throw LedgerError(ofProjections: error)
    }
    return try checked(found)
  }

  private func checked(_ found: Bool) throws(LedgerError) -> Bool {
    guard found else { return false }
    guard table.isWhole(cursor.value, under: cursor.key) else { throw table.damaged }
    return true
  }
}
