internal import Dispatch
internal import Foundation
internal import GRDB
internal import LedgerEvents
internal import LedgerQueries
internal import Synchronization
internal import WorkThreads

/// Writes tables to one SQLite 3 file.
///
/// Nobody uses the file before it has its name. So it is written without a journal and synced once,
/// at the end. SQLite writes on a separate thread while the next rows are made.
final class SQLiteWriter: RowWriter {
  /// How many rows of a table are passed to SQLite together.
  private static let batchRowsMax = 2_000
  /// How many batches may wait for SQLite: enough that it never waits, and few enough to save
  /// memory.
  private static let waitingBatchesMax = 2

  /// What SQLite may keep in memory, in KiB: enough to sort an index of some million rows.
  private static let cacheKibibytes = 65_536

  private let queue: DatabaseQueue
  private let thread = BackgroundThread()
  private let writing = Writing(batchesMax: waitingBatchesMax)
  private var batches: [ExportTable: [[ExportCell]]] = [:]

  init(_ path: String) throws(ExportError) {
    var configuration = Configuration()
    let cacheKibibytes = Self.cacheKibibytes
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = OFF")
      try database.execute(sql: "PRAGMA synchronous = OFF")
      try database.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
    }
    // Dispatch, which holds the queue, waits for ever for a thread that the system does not start.
    guard thread.run({}) else {
      throw ExportError(
        .file,
        "SQLite needs a thread, and none can be started: raise the limit of processes, "
          + "free memory, or export to another format.")
    }
    do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw ExportError(.file, "\(path) cannot be made: \(error)")
    }
  }

  func begin(_ table: ExportTable) throws(ExportError) {
    let columns = table.columns.map(\.declaration).joined(separator: ",\n  ")
    try attempt { database in
      try database.execute(sql: "CREATE TABLE \(table.rawValue) (\n  \(columns)\n) STRICT")
    }
  }

  func add(_ row: [ExportCell], to table: ExportTable, event: RecordedEvent?) throws(ExportError) {
    batches[table, default: []].append(row)
    if batches[table, default: []].count >= Self.batchRowsMax { try flush(table) }
  }

  /// Writes the rest of the table and makes its indexes while rows of other tables are made.
  func end(_ table: ExportTable) throws(ExportError) {
    try flush(table)
    for (name, sql) in SQLiteText.indexes where name == table.rawValue {
      try submit { database in try database.execute(sql: sql) }
    }
  }

  func end(_ facts: ExportFacts) throws(ExportError) {
    precondition(batches.isEmpty, "a table was not ended")
    writing.waitForAll()
    try attempt { database in
      try database.execute(sql: SQLiteText.facts)
      for fact in facts.values {
        try database.execute(
          sql: "INSERT INTO export (name, value) VALUES (?, ?)", arguments: [fact.name, fact.value])
      }
    }
    try writing.check()
    do { try queue.close() } catch {
      throw ExportError(.file, "The file cannot be closed: \(error)")
    }
  }

  /// Passes the rows of a table on to SQLite, and waits only if it is behind.
  ///
  /// - Throws: ``ExportError`` if rows that were passed on before could not be written.
  private func flush(_ table: ExportTable) throws(ExportError) {
    guard let rows = batches.removeValue(forKey: table), !rows.isEmpty else { return }
    try submit { database in
      var inserts = Inserts(into: table)
      for row in rows { try inserts.insert(row, database) }
    }
  }

  /// Passes work on to SQLite, and waits only if it is behind.
  private func submit(
    _ work: @escaping @Sendable (Database) throws -> Void
  ) throws(ExportError) {
    let writing = writing
    writing.begin()
    let queue = queue
    let write = { @Sendable in writing.end(Result { try queue.write(work) }) }
    // If no thread can be started, this one writes. No earlier batch then waits for one.
    if !thread.run(write) { write() }
    try writing.check()
  }

  private func attempt(_ body: (Database) throws -> Void) throws(ExportError) {
    do { try queue.write(body) } catch { throw Self.failure(error) }
  }

  fileprivate static func failure(_ error: any Error) -> ExportError {
    ExportError(.file, "SQLite cannot write: \(error)")
  }
}

/// The batches that SQLite has been given, and the first failure to write one.
private final class Writing: Sendable {
  private let batchesMax: Int
  private let room: DispatchSemaphore
  private let failure = Mutex<ExportError?>(nil)

  init(batchesMax: Int) {
    self.batchesMax = batchesMax
    room = DispatchSemaphore(value: batchesMax)
  }

  /// Waits until there is room for one more batch.
  func begin() { room.wait() }

  /// Waits until nothing is being written.
  func waitForAll() {
    for _ in 0..<batchesMax { room.wait() }
    for _ in 0..<batchesMax { room.signal() }
  }

  func end(_ result: Result<Void, any Error>) {
    if case .failure(let error) = result {
      failure.withLock { first in first = first ?? SQLiteWriter.failure(error) }
    }
    room.signal()
  }

  func check() throws(ExportError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

/// The SQL for everything except rows.
enum SQLiteText {
  /// The table that describes the export.
  static let facts = "CREATE TABLE export (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"

  /// The indexes by table, created when all rows are there.
  static let indexes: [(table: String, sql: String)] = [
    ("events", "CREATE UNIQUE INDEX events_position ON events (position)"),
    ("events", "CREATE INDEX events_account ON events (account)"),
    ("events", "CREATE INDEX events_transaction ON events (\"transaction\")"),
    ("accounts", "CREATE INDEX accounts_account ON accounts (account)"),
    ("entitlements", "CREATE INDEX entitlements_customer ON entitlements (customer)"),
    ("transactions", "CREATE INDEX transactions_transaction ON transactions (\"transaction\")"),
    ("postings", "CREATE INDEX postings_transaction ON postings (\"transaction\")"),
    ("findings", "CREATE INDEX findings_position ON findings (position)"),
  ]
}

extension ExportColumn {
  /// The column as `CREATE TABLE` declares it.
  ///
  /// A text with U+0000 is a BLOB of its UTF-8, because SQLite's text ends at that character.
  /// STRICT tables accept it in columns of type ANY.
  fileprivate var declaration: String {
    // In quotation marks, because `transaction` is an SQL keyword.
    let name = "\"\(self.name)\""
    return switch kind {
    case .text: "\(name) ANY"
    case .time, .decimal, .json: "\(name) TEXT"
    case .integer: "\(name) INTEGER"
    case .boolean: "\(name) INTEGER CHECK (\(name) IN (0, 1))"
    }
  }
}

/// Inserts rows into a table.
///
/// A statement names only the columns that have a value: a third of an event's cells are absent,
/// and binding one of these costs as much as binding any other.
private struct Inserts {
  private let table: ExportTable
  /// The statements by the columns that they name, a bit each.
  private var statements: [UInt32: Statement] = [:]

  init(into table: ExportTable) {
    precondition(table.columns.count <= UInt32.bitWidth, "a set of columns has 32 bits")
    self.table = table
  }

  mutating func insert(_ row: [ExportCell], _ database: Database) throws {
    var present: UInt32 = 0
    for index in row.indices where !row[index].isAbsent { present |= 1 << UInt32(index) }
    let statement = try statements[present] ?? prepare(present, database)
    // The statement has a place for each cell that is present: nothing to check row by row.
    statement.setUncheckedArguments(StatementArguments(presentOf: row))
    try statement.execute()
  }

  private mutating func prepare(_ present: UInt32, _ database: Database) throws -> Statement {
    let names = table.columns.enumerated().filter { present >> UInt32($0.offset) & 1 == 1 }
      .map { "\"\($0.element.name)\"" }
    let values =
      names.isEmpty
      ? "DEFAULT VALUES"
      : "(\(names.joined(separator: ", "))) VALUES "
        + "(\(Array(repeating: "?", count: names.count).joined(separator: ", ")))"
    let statement = try database.cachedStatement(sql: "INSERT INTO \(table.rawValue) \(values)")
    statements[present] = statement
    return statement
  }
}

extension StatementArguments {
  /// The cells of a row that are not absent.
  ///
  /// They are made from literals, some cells at a time. From a sequence, GRDB makes them by a
  /// protocol call for each value, which took a quarter of an export's time.
  fileprivate init(presentOf row: [ExportCell]) {
    self.init()
    let cells = row.filter { !$0.isAbsent }
    var next = 0
    while next + 8 <= cells.count {
      _ = append(contentsOf: [
        cells[next].databaseValue, cells[next + 1].databaseValue, cells[next + 2].databaseValue,
        cells[next + 3].databaseValue, cells[next + 4].databaseValue,
        cells[next + 5].databaseValue, cells[next + 6].databaseValue,
        cells[next + 7].databaseValue,
      ])
      next += 8
    }
    while next + 2 <= cells.count {
      _ = append(contentsOf: [cells[next].databaseValue, cells[next + 1].databaseValue])
      next += 2
    }
    if next < cells.count { _ = append(contentsOf: [cells[next].databaseValue]) }
  }
}

extension ExportCell {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .absent: .null
    case .integer(let number): number.databaseValue
    case .boolean(let value): (value ? 1 : 0).databaseValue
    case .decimal(let number): number.text.databaseValue
    case .json(let text): text.databaseValue
    case .text(let text):
      text.containsNull ? Data(text.utf8).databaseValue : text.databaseValue
    }
  }
}

extension String {
  /// Whether it has a character U+0000.
  fileprivate var containsNull: Bool {
    let bytes = utf8Span.span
    for index in bytes.indices where bytes[index] == 0 { return true }
    return false
  }
}
