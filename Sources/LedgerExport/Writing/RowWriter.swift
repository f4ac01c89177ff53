internal import LedgerEvents

/// Takes rows of tables and writes them.
///
/// The rows of one table come from one thread at a time. Those of several tables can come from
/// several threads.
protocol RowWriter: AnyObject, Sendable {
  /// Makes a table. Every table is made before the first row of any.
  func begin(_ table: ExportTable) throws(ExportError)

  /// Adds a row to a table.
  ///
  /// - Parameter event: The event, for a row of `events`.
  func add(_ row: [ExportCell], to table: ExportTable, event: RecordedEvent?) throws(ExportError)

  /// Ends a table, after its last row.
  func end(_ table: ExportTable) throws(ExportError)

  /// Ends the file, after everything was added. When this returns, everything is on disk.
  func end(_ facts: ExportFacts) throws(ExportError)
}

extension RowWriter {
  /// A text file has one table, which ends with the file.
  func end(_ table: ExportTable) throws(ExportError) {}
}

/// Describes an export. An SQLite file has this in its table `export`.
struct ExportFacts: Sendable {
  /// The names and values, in order.
  private(set) var values: [(name: String, value: String)] = []

  mutating func set(_ name: String, _ value: String?) {
    if let value { values.append((name, value)) }
  }
}

/// Reads back what was written, row by row.
protocol RowReader {
  /// Passes on the rows of a table.
  func read(
    _ table: ExportTable, _ body: ([ExportCell]) throws(ExportError) -> Void
  ) throws(ExportError)
}
