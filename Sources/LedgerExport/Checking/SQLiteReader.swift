internal import GRDB
internal import LedgerQueries

/// Reads an SQLite file back over a separate connection.
struct SQLiteReader: RowReader {
  private let queue: DatabaseQueue

  init(path: String) throws(ExportError) {
    var configuration = Configuration()
    configuration.readonly = true
    do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw ExportError(.file, "\(path) cannot be opened: \(error)")
    }
  }

  /// Passes on rows in which only the columns with totals are filled. SQLite counts the rows.
  /// Reading the other columns would only copy them.
  func read(
    _ table: ExportTable, _ body: ([ExportCell]) throws(ExportError) -> Void
  ) throws(ExportError) {
    let needed = table.controls.reduce(into: Set<String>()) { names, control in
      names.formUnion([control.column] + control.by)
    }
    let columns = table.columns.enumerated().filter { needed.contains($0.element.name) }
    let list = columns.map { "\"\($0.element.name)\"" }.joined(separator: ", ")
    let none = Array(repeating: ExportCell.absent, count: table.columns.count)
    var failure: ExportError?
    do {
      try queue.read { database in
        let rows = try Row.fetchCursor(
          database, sql: "SELECT \(list.isEmpty ? "NULL" : list) FROM \(table.rawValue)")
        while failure == nil, let row = try rows.next() {
          var cells = none
          for (index, column) in columns.enumerated() {
            cells[column.offset] = Self.cell(row, index, column.element)
          }
          do throws(ExportError) { try body(cells) } catch { failure = error }
        }
      }
    } catch {
      throw ExportError(.mismatch, "SQLite cannot read \(table.rawValue) back: \(error)")
    }
    if let failure { throw failure }
  }

  /// Runs SQLite's own check of the file.
  ///
  /// - Throws: ``ExportError`` if the result is anything but `ok`.
  func checkIntegrity() throws(ExportError) {
    let answer: String?
    do {
      answer = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
    } catch { throw ExportError(.mismatch, "SQLite cannot check the file: \(error)") }
    guard answer == "ok" else {
      throw ExportError(.mismatch, "SQLite says of the file: \(answer ?? "nothing")")
    }
  }

  private static func cell(_ row: Row, _ index: Int, _ column: ExportColumn) -> ExportCell {
    switch column.kind {
    case .integer: (row[index] as Int64?).map { .integer($0) } ?? .absent
    case .decimal:
      (row[index] as String?).flatMap { ExactDecimal(exactly: $0) }.map { .decimal($0) } ?? .absent
    case .text: (row[index] as String?).map { .text($0) } ?? .absent
    case .time, .boolean, .json: .absent
    }
  }
}
