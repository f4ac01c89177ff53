internal import Foundation
internal import GRDB
internal import LedgerEvents
internal import LedgerQueries

/// Writes tables to one SQLite 3 file.
///
/// Nobody uses the file before it has its name. So it is written without a journal and synced once,
/// at the end.
final class SQLiteWriter: RowWriter {
  /// How many rows are passed to SQLite together.
  private static let batchRowsMax = 2_000

  private let queue: DatabaseQueue
  private var table: ExportTable?
  private var batch: [[ExportCell]] = []

  init(_ path: String) throws(ExportError) {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = OFF")
      try database.execute(sql: "PRAGMA synchronous = OFF")
    }
    do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw ExportError(.file, "\(path) cannot be made: \(error)")
    }
  }

  func begin(_ table: ExportTable) throws(ExportError) {
    try flush()
    self.table = table
    let columns = table.columns.map(\.declaration).joined(separator: ",\n  ")
    try attempt { database in
      try database.execute(sql: "CREATE TABLE \(table.rawValue) (\n  \(columns)\n) STRICT")
    }
  }

  func add(_ row: [ExportCell], event: RecordedEvent?) throws(ExportError) {
    batch.append(row)
    if batch.count >= Self.batchRowsMax { try flush() }
  }

  func end(_ facts: ExportFacts) throws(ExportError) {
    try flush()
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
    do { try queue.close() } catch {
      throw ExportError(.file, "The file cannot be closed: \(error)")
    }
  }

  private func flush() throws(ExportError) {
    guard let table, !batch.isEmpty else { return }
    let rows = batch
    batch.removeAll(keepingCapacity: true)
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    try attempt { database in
      let statement = try database.cachedStatement(
        sql: "INSERT INTO \(table.rawValue) VALUES (\(places))")
      for row in rows {
        try statement.execute(arguments: StatementArguments(row.map(\.databaseValue)))
      }
    }
  }

  private func attempt(_ body: (Database) throws -> Void) throws(ExportError) {
    do { try queue.write(body) } catch {
      throw ExportError(.file, "SQLite cannot write: \(error)")
    }
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
    // In quotation marks, because `transaction` is a word of SQL.
    let name = "\"\(self.name)\""
    return switch kind {
    case .text: "\(name) ANY"
    case .time, .decimal, .json: "\(name) TEXT"
    case .integer: "\(name) INTEGER"
    case .boolean: "\(name) INTEGER CHECK (\(name) IN (0, 1))"
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
