internal import LedgerEvents
internal import LedgerQueries

/// Writes one table as JSON Lines. Events are written as they were appended, so that they can be
/// appended elsewhere. Rows of other tables are objects with a member for each column.
final class JSONLinesWriter: RowWriter {
  private static let lineFeed = UInt8(ascii: "\n")

  private let file: TextFile
  private let encoder = EventEncoder()

  init(_ path: String) throws(ExportError) { file = try TextFile(path) }

  func begin(_ table: ExportTable) throws(ExportError) {}

  func add(_ row: [ExportCell], to table: ExportTable, event: RecordedEvent?) throws(ExportError) {
    var line: [UInt8] = []
    if let event {
      encoder.append(event, to: &line)
    } else {
      for (column, cell) in zip(table.columns, row) {
        line.append(UInt8(ascii: line.isEmpty ? "{" : ","))
        line += JSONValue.string(column.name).json
        line.append(UInt8(ascii: ":"))
        Self.append(cell, to: &line)
      }
      line.append(UInt8(ascii: "}"))
    }
    line.append(Self.lineFeed)
    try file.write(line)
  }

  func end(_ facts: ExportFacts) throws(ExportError) { try file.end() }

  private static func append(_ cell: ExportCell, to line: inout [UInt8]) {
    switch cell {
    case .absent: line += "null".utf8
    case .integer(let number): line += "\(number)".utf8
    case .boolean(let value): line += (value ? "true" : "false").utf8
    case .decimal(let number): line += "\"\(number.text)\"".utf8
    case .text(let text): line += JSONValue.string(text).json
    case .json(let text): line += text.utf8
    }
  }
}
