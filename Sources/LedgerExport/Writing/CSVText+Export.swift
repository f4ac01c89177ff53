internal import LedgerAnswers
internal import LedgerQueries

extension CSVText {
  /// The cell for a field of a column; `nil` if the field is invalid.
  static func cell(_ field: CSVField, of column: ExportColumn) -> ExportCell? {
    if field.bytes.isEmpty && !field.isQuoted { return .absent }
    var bytes = field.bytes[...]
    switch column.kind {
    case .text, .time, .json:
      if bytes.first == apostrophe { bytes = bytes.dropFirst() }
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      return column.kind == .json ? .json(text) : .text(text)
    case .integer: return Int64(String(decoding: bytes, as: UTF8.self)).map { .integer($0) }
    case .decimal:
      return ExactDecimal(exactly: String(decoding: bytes, as: UTF8.self)).map { .decimal($0) }
    case .boolean:
      switch String(decoding: bytes, as: UTF8.self) {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      default: return nil
      }
    }
  }
}

extension CSVText.Cell {
  init(_ cell: ExportCell) {
    switch cell {
    case .absent: self = .absent
    case .integer(let number): self = .plain("\(number)")
    case .boolean(let value): self = .plain(value ? "true" : "false")
    case .decimal(let number): self = .plain(number.text)
    case .text(let text), .json(let text): self = .text(text)
    }
  }
}

/// A field of a line, without its quotes.
struct CSVField {
  var bytes: [UInt8] = []
  var isQuoted = false
}
