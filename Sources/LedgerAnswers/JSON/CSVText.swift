/// Cells as in RFC 4180, safe to open in a spreadsheet.
///
/// An absent cell is empty, and an empty text is `""`. A text that a spreadsheet would take for a
/// formula (it begins with `=`, `+`, `-` or `@`, also of full width, a tab, a carriage return or a
/// line feed) gets an apostrophe in front. So does a text that begins with an apostrophe: remove
/// one leading apostrophe to get the original text. Numbers stay numbers.
///
/// Source: RFC 4180; OWASP, *CSV Injection*.
package enum CSVText {
  /// A value of a row.
  package enum Cell: Sendable {
    case absent
    case text(String)
    /// Digits, a flag, or money: never taken for a formula.
    case plain(String)
  }

  /// The end of a line.
  package static let lineEnd: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
  /// What stands in front of a text that could be a formula.
  package static let apostrophe = UInt8(ascii: "'")

  /// A line with its end.
  ///
  /// - Parameter row: Its cells.
  package static func line(_ row: [Cell]) -> [UInt8] {
    var line: [UInt8] = []
    for (index, cell) in row.enumerated() {
      if index > 0 { line.append(comma) }
      append(cell, to: &line)
    }
    return line + lineEnd
  }

  private static func append(_ cell: Cell, to line: inout [UInt8]) {
    switch cell {
    case .absent: break
    case .plain(let text): line += text.utf8
    case .text(let text):
      var bytes = Array(text.utf8)
      if isGuarded(bytes) { bytes.insert(apostrophe, at: 0) }
      guard bytes.isEmpty || bytes.contains(where: isQuoted) else {
        line += bytes
        return
      }
      line.append(quote)
      for byte in bytes {
        if byte == quote { line.append(quote) }
        line.append(byte)
      }
      line.append(quote)
    }
  }

  /// The characters with which a formula begins, and the one that guards against it.
  private static func isGuarded(_ text: [UInt8]) -> Bool {
    switch text.first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), apostrophe:
      true
    default: wide.contains { text.starts(with: $0.utf8) }
    }
  }

  /// The same of full width, which some spreadsheets take for the others.
  private static let wide = ["\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"]

  private static func isQuoted(_ byte: UInt8) -> Bool {
    byte == comma || byte == quote || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }
}
