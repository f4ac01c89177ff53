package import GRDB
internal import GRDBSQLite

/// Inserts rows into a table.
///
/// GRDB takes the arguments of a statement as a list of values in boxes, which it checks and keeps,
/// and SQLite copies each text. An export with these takes two thirds more time (measurements in
/// `docs/performance.md`).
///
/// A statement names only the columns that have a value: a third of an event's cells are absent,
/// and binding one of these costs as much as binding any other.
///
/// Used where GRDB lends the connection: inside `write`, on one thread at a time.
package struct RowInserts {
  private let table: String
  private let columns: [String]
  /// The statements by the columns that they name, a bit each.
  private var statements: [UInt32: Statement] = [:]

  /// - Parameters:
  ///   - table: The table's name.
  ///   - columns: The names of its columns, in the order of a row's values.
  package init(into table: String, columns: [String]) {
    precondition(columns.count <= RowBatch.columnsMax, "a table has too many columns")
    (self.table, self.columns) = (table, columns)
  }

  /// Inserts rows, in order.
  ///
  /// - Throws: `DatabaseError` if SQLite refuses a value or a row.
  package mutating func insert(_ batch: RowBatch, _ database: Database) throws {
    for row in batch.rows {
      let statement = try statements[row.columns] ?? prepare(row.columns, database)
      let code = Self.insert(batch.values[row.values], of: batch.bytes, statement)
      guard code == SQLITE_DONE else {
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage,
          sql: statement.sql)
      }
    }
  }

  private mutating func prepare(_ present: UInt32, _ database: Database) throws -> Statement {
    let names = columns.enumerated().filter { present >> UInt32($0.offset) & 1 == 1 }
      .map { "\"\($0.element)\"" }
    let values =
      names.isEmpty
      ? "DEFAULT VALUES"
      : "(\(names.joined(separator: ", "))) VALUES "
        + "(\(Array(repeating: "?", count: names.count).joined(separator: ", ")))"
    let statement = try database.cachedStatement(sql: "INSERT INTO \(table) \(values)")
    statements[present] = statement
    return statement
  }
}

// MARK: - SQLite

extension RowInserts {
  /// Inserts a row, and returns what SQLite says: `SQLITE_DONE`, or why not.
  private static func insert(
    _ values: ArraySlice<RowBatch.Value>, of bytes: [UInt8], _ statement: Statement
  ) -> CInt {
    // SAFETY: GRDB keeps the prepared statement for as long as `statement` lives, and lends its
    // connection to this thread. SQLite does not copy what is bound: the bytes stay where they are
    // until this closure ends, and it unbinds them before.
    unsafe bytes.withUnsafeBytes { bytes in
      let prepared = unsafe statement.sqliteStatement
      var (place, code) = (CInt(0), SQLITE_OK)
      for value in values where code == SQLITE_OK {
        place += 1
        code = unsafe bind(value, of: bytes, to: prepared, at: place)
      }
      if code == SQLITE_OK { code = unsafe sqlite3_step(prepared) }
      // What these say is what the step said.
      _ = unsafe sqlite3_reset(prepared)
      _ = unsafe sqlite3_clear_bindings(prepared)
      return code
    }
  }

  private static func bind(
    _ value: RowBatch.Value, of bytes: UnsafeRawBufferPointer, to prepared: OpaquePointer,
    at place: CInt
  ) -> CInt {
    func start(of range: Range<Int>) -> UnsafeRawPointer? {
      unsafe UnsafeRawBufferPointer(rebasing: bytes[range]).baseAddress
    }
    switch value {
    case .integer(let number): return unsafe sqlite3_bind_int64(prepared, place, number)
    case .text(let range):
      // Bytes of no length may have no address, and that is NULL for SQLite.
      guard !range.isEmpty, let start = unsafe start(of: range) else {
        return unsafe sqlite3_bind_text64(prepared, place, "", 0, nil, utf8)
      }
      let text = unsafe start.assumingMemoryBound(to: CChar.self)
      return unsafe sqlite3_bind_text64(prepared, place, text, UInt64(range.count), nil, utf8)
    case .blob(let range):
      let start = unsafe start(of: range)
      return unsafe sqlite3_bind_blob64(prepared, place, start, UInt64(range.count), nil)
    }
  }

  private static let utf8 = UInt8(SQLITE_UTF8)
}
