internal import LedgerEvents

/// Takes the rows of tables and writes them.
protocol RowWriter: AnyObject {
  /// The rows of a table follow.
  func begin(_ table: ExportTable) throws(ExportError)

  /// - Parameter event: The event of a row of `events`.
  func add(_ row: [ExportCell], event: RecordedEvent?) throws(ExportError)

  /// Everything was added: when this returns, it is on the disk.
  func end(_ facts: ExportFacts) throws(ExportError)
}

/// What an export is of; stands in the table `export` of an SQLite file.
struct ExportFacts: Sendable {
  /// Names and values, in order.
  private(set) var values: [(name: String, value: String)] = []

  mutating func set(_ name: String, _ value: String?) {
    if let value { values.append((name, value)) }
  }
}

/// Reads back what was written, row by row.
protocol RowReader {
  /// Hands out the rows of a table.
  func read(
    _ table: ExportTable, _ body: ([ExportCell]) throws(ExportError) -> Void
  ) throws(ExportError)
}
