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

  func end(_ facts: ExportFacts) throws(ExportError) {
    for table in ExportTable.allCases { try flush(table) }
    writing.waitForAll()
    try attempt { database in
      for (name, sql) in SQLiteText.indexes where try database.tableExists(name) {
        try database.execute(sql: sql)
      }
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
    let placeholders = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    let sql = "INSERT INTO \(table.rawValue) VALUES (\(placeholders))"
    let writing = writing
    writing.begin()
    let queue = queue
    let write = { @Sendable in
      writing.end(
        Result {
          try queue.write { database in
            let statement = try database.cachedStatement(sql: sql)
            for row in rows {
              // Every row has a cell for each column: nothing to check row by row.
              statement.setUncheckedArguments(StatementArguments(cells: row))
              try statement.execute()
            }
          }
        })
    }
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

extension StatementArguments {
  /// The cells of a row.
  ///
  /// They are made from literals, four cells at a time. From a sequence, GRDB makes them by a
  /// protocol call for each value, which took a quarter of an export's time.
  fileprivate init(cells: [ExportCell]) {
    self.init()
    var rest = cells[...]
    while let first = rest.popFirst() {
      if rest.count >= 3 {
        let next = rest.startIndex
        _ = append(contentsOf: [
          first.databaseValue, rest[next].databaseValue, rest[next + 1].databaseValue,
          rest[next + 2].databaseValue,
        ])
        rest.removeFirst(3)
      } else {
        _ = append(contentsOf: [first.databaseValue])
      }
    }
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
      text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }
  }
}
