internal import Foundation
internal import LedgerAnswers
internal import LedgerEvents

/// Reads comma-separated values back, strictly according to RFC 4180.
struct CSVReader: RowReader {
  let path: String

  func read(
    _ table: ExportTable, _ body: ([ExportCell]) throws(ExportError) -> Void
  ) throws(ExportError) {
    let columns = table.columns
    var parser = CSVParser()
    var line = 0
    let pieces = try FilePieces(path)
    while true {
      let piece = try pieces.next()
      let isEnd = piece.isEmpty
      for byte in piece {
        guard let fields = try parser.take(byte) else { continue }
        line += 1
        if line == 1 {
          try check(fields, columns)
        } else {
          try body(try cells(fields, columns, line))
        }
      }
      guard isEnd else { continue }
      guard parser.isBetweenLines, line > 0 else {
        throw ExportError(.mismatch, "\(path) ends within a line.")
      }
      return
    }
  }

  private func check(_ fields: [CSVField], _ columns: [ExportColumn]) throws(ExportError) {
    guard fields.map(\.bytes) == columns.map({ Array($0.name.utf8) }) else {
      throw ExportError(.mismatch, "The first line of \(path) does not name the columns.")
    }
  }

  private func cells(
    _ fields: [CSVField], _ columns: [ExportColumn], _ line: Int
  ) throws(ExportError) -> [ExportCell] {
    guard fields.count == columns.count else {
      throw ExportError(
        .mismatch,
        "Line \(line) of \(path) has \(fields.count.counted("field")) and needs \(columns.count).")
    }
    var cells: [ExportCell] = []
    for (field, column) in zip(fields, columns) {
      guard let cell = CSVText.cell(field, of: column) else {
        throw ExportError(.mismatch, "Line \(line) of \(path): \(column.name) is damaged.")
      }
      cells.append(cell)
    }
    return cells
  }
}

/// Parses lines of comma-separated values, byte by byte.
struct CSVParser {
  private enum State {
    case fieldStart, plain, quoted, quoteInQuoted, carriageReturn
  }

  private var state = State.fieldStart
  private var fields: [CSVField] = []
  private var field = CSVField()

  /// Whether the parser is at the start of a line.
  var isBetweenLines: Bool { state == .fieldStart && fields.isEmpty }

  /// Takes a byte, and returns the fields of the line if the byte ends one.
  mutating func take(_ byte: UInt8) throws(ExportError) -> [CSVField]? {
    switch (state, byte) {
    case (.fieldStart, UInt8(ascii: "\"")):
      field.isQuoted = true
      state = .quoted
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _): field.bytes.append(byte)
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      field.bytes.append(byte)
      state = .quoted
    case (.carriageReturn, UInt8(ascii: "\n")):
      endField()
      defer { fields = [] }
      return fields
    case (.carriageReturn, _), (.plain, UInt8(ascii: "\"")), (.plain, UInt8(ascii: "\n")),
      (.fieldStart, UInt8(ascii: "\n")):
      throw ExportError(.mismatch, "The file is no CSV of RFC 4180.")
    case (_, UInt8(ascii: ",")): endField()
    case (_, UInt8(ascii: "\r")): state = .carriageReturn
    case (.quoteInQuoted, _):
      throw ExportError(.mismatch, "The file is no CSV of RFC 4180.")
    default:
      field.bytes.append(byte)
      state = .plain
    }
    return nil
  }

  private mutating func endField() {
    fields.append(field)
    field = CSVField()
    state = .fieldStart
  }
}
