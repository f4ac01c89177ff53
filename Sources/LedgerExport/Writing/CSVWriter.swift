internal import LedgerAnswers
internal import LedgerEvents

/// Writes one table as comma-separated values.
final class CSVWriter: RowWriter {
  private let file: TextFile

  init(_ path: String) throws(ExportError) { file = try TextFile(path) }

  func begin(_ table: ExportTable) throws(ExportError) {
    try file.write(CSVText.line(table.columns.map { .text($0.name) }))
  }

  func add(_ row: [ExportCell], to table: ExportTable, event: RecordedEvent?) throws(ExportError) {
    try file.write(CSVText.line(row.map { CSVText.Cell($0) }))
  }

  func end(_ facts: ExportFacts) throws(ExportError) { try file.end() }
}
