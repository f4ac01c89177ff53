internal import Dispatch
internal import Foundation
internal import GRDB
internal import LedgerEvents
internal import LedgerQueries
internal import SQLiteRows
internal import Synchronization
internal import WorkThreads

/// Writes tables to one SQLite 3 file.
///
/// Nobody uses the file before it has its name. So it is written without a journal and synced once,
/// at the end. SQLite writes on a separate thread while the next rows are made.
final class SQLiteWriter: RowWriter {
  /// How many batches may wait for SQLite: enough that rows are made while it makes the indexes of
  /// events, and few enough to save memory.
  private static let waitingBatchesMax = 16

  /// What SQLite may keep in memory, in KiB: enough to sort an index of some million rows.
  private static let cacheKibibytes = 65_536

  private let queue: DatabaseQueue
  private let thread = BackgroundThread()
  private let writing = Writing(batchesMax: waitingBatchesMax)
  private let batches = ExportTable.allCases.reduce(into: [:]) { $0[$1] = Batch() }

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
    let columns = table.columns.map { $0.declaration(in: table) }.joined(separator: ",\n  ")
    try attempt { database in
      try database.execute(sql: "CREATE TABLE \(table.rawValue) (\n  \(columns)\n) STRICT")
    }
  }

  func add(_ row: [ExportCell], to table: ExportTable, event: RecordedEvent?) throws(ExportError) {
    if let full = batch(of: table).add(row) { try insert(full, into: table) }
  }

  /// Writes the rest of the table and makes its indexes while rows of other tables are made.
  func end(_ table: ExportTable) throws(ExportError) {
    try insert(batch(of: table).take(), into: table)
    for (name, sql) in SQLiteText.indexes where name == table.rawValue {
      try submit { database in try database.execute(sql: sql) }
    }
  }

  func end(_ facts: ExportFacts) throws(ExportError) {
    precondition(batches.values.allSatisfy(\.isEmpty), "a table was not ended")
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

  private func batch(of table: ExportTable) -> Batch {
    guard let batch = batches[table] else { preconditionFailure("every table has a batch") }
    return batch
  }

  /// Passes the rows of a table on to SQLite, and waits only if it is behind.
  ///
  /// - Throws: ``ExportError`` if rows that were passed on before could not be written.
  private func insert(_ rows: RowBatch, into table: ExportTable) throws(ExportError) {
    if rows.count == 0 { return }
    try submit { database in
      var inserts = RowInserts(into: table.rawValue, columns: table.columns.map(\.name))
      try inserts.insert(rows, database)
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

/// Rows of a table that SQLite has not been given yet.
private final class Batch: Sendable {
  /// How many rows are passed to SQLite together.
  private static let rowsMax = 2_000
  /// After how many bytes a batch ends: one row may have a mebibyte.
  private static let bytesMax = 1 << 20

  private let rows = Mutex(RowBatch())

  var isEmpty: Bool { rows.withLock { $0.count == 0 } }

  /// Adds a row, and returns all of them once there are enough.
  func add(_ row: [ExportCell]) -> RowBatch? {
    rows.withLock { rows in
      for cell in row { cell.append(to: &rows) }
      rows.endRow()
      let isFull = rows.count >= Self.rowsMax || rows.byteCount >= Self.bytesMax
      return isFull ? Self.taken(&rows) : nil
    }
  }

  func take() -> RowBatch { rows.withLock { Self.taken(&$0) } }

  private static func taken(_ rows: inout RowBatch) -> RowBatch {
    defer { rows = RowBatch() }
    return rows
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

  /// The columns by which SQLite keeps the rows of a table, so that they need no index beside.
  static let keys: [ExportTable: String] = [.events: "position"]

  /// The indexes by table, created when all rows are there.
  static let indexes: [(table: String, sql: String)] = [
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
  fileprivate func declaration(in table: ExportTable) -> String {
    // In quotation marks, because `transaction` is an SQL keyword.
    let name = "\"\(self.name)\""
    return switch kind {
    case .text: "\(name) ANY"
    case .time, .decimal, .json: "\(name) TEXT"
    case .integer: "\(name) INTEGER\(SQLiteText.keys[table] == self.name ? " PRIMARY KEY" : "")"
    case .boolean: "\(name) INTEGER CHECK (\(name) IN (0, 1))"
    }
  }
}

extension ExportCell {
  /// Appends the value to those of a row.
  fileprivate func append(to rows: inout RowBatch) {
    switch self {
    case .absent: rows.skip()
    case .integer(let number): rows.append(number)
    case .boolean(let value): rows.append(value ? 1 : 0)
    case .decimal(let number): rows.append(number.text)
    case .text(let text), .json(let text): rows.append(text)
    }
  }
}
