/// A table in a text file: a header, and rows that are read one after the other.
///
/// It is read by the grammar of RFC 4180, strictly: a field is quoted as a whole or not at all, a
/// quote inside a quoted field is doubled, and every row has as many fields as the header. Line
/// feeds and carriage returns with a line feed end rows, and stand in quoted fields. What the
/// grammar does not have is refused with its line, and never guessed.
package struct TextTable: Sendable {
  /// A row of fields.
  package struct Row: Sendable {
    /// The line in which it begins, from 1. A quoted field can go over several.
    package let line: Int
    /// As many as the header has.
    package let fields: [String]
  }

  package let header: [String]
  private var reader: TableReader

  /// The most fields in a row. The widest known export has 60.
  package static let fieldsMax = 1_024

  /// Reads the header of a table in UTF-8. A byte order mark at the start is skipped.
  ///
  /// - Parameter separator: What stands between fields.
  /// - Complexity: O(*n*) in the bytes of the header.
  /// - Throws: `ImportError` of code `malformed`, with the line.
  package init(_ bytes: [UInt8], separator: UInt8) throws(ImportError) {
    guard bytes.count <= importSizeBytesMax else {
      throw ImportError(
        .malformed, reason: "the file has more than \(importSizeBytesMax) bytes",
        remedy: "Split the file, and repeat the header in each part")
    }
    var reader = TableReader(bytes: bytes, separator: separator)
    guard let first = try reader.row() else {
      throw ImportError(
        .malformed, reason: "expected a header, found an empty file",
        remedy: "Pass a table whose first line names its columns")
    }
    header = first.fields
    var known: Set<[UInt8]> = []
    for name in header where !known.insert(Array(name.utf8)).inserted {
      throw ImportError(
        .malformed, path: "line \(first.line)", reason: "two columns are called \"\(name)\"",
        remedy: "Rename one of them, so that it is clear which one is meant")
    }
    self.reader = reader
  }

  /// Returns the next row; nil at the end. One empty line may end the table.
  ///
  /// - Complexity: O(*n*) in the bytes of the row.
  /// - Throws: `ImportError` of code `malformed`, with the line.
  package mutating func next() throws(ImportError) -> Row? {
    // An empty line is a row of a table with one column.
    let isEmptyLine = header.count > 1 && reader.isAtEmptyLine
    guard let row = try reader.row() else { return nil }
    if isEmptyLine && reader.isAtEndOfFile { return nil }
    guard row.fields.count == header.count else {
      throw ImportError(
        .malformed, path: "line \(row.line)",
        reason: "expected \(header.count) fields, as the header has, found "
          + (isEmptyLine ? "an empty line" : "\(row.fields.count)"),
        remedy: isEmptyLine
          ? "Remove the line"
          : "Check the separator, and that fields with it in them are in quotes")
    }
    return row
  }
}

/// Splits a table into rows.
private struct TableReader: Sendable {
  private let bytes: [UInt8]
  private let separator: UInt8
  private var index: Int
  private var line = 1

  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  init(bytes: [UInt8], separator: UInt8) {
    self.bytes = bytes
    self.separator = separator
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private func failure(_ line: Int, _ reason: String, _ remedy: String) -> ImportError {
    ImportError(.malformed, path: "line \(line)", reason: reason, remedy: remedy)
  }

  var isAtEndOfFile: Bool { index >= bytes.count }

  /// Whether a line begins here that has nothing in it.
  var isAtEmptyLine: Bool {
    index < bytes.count && (bytes[index] == Self.lineFeed || isLineEnd(index))
  }

  /// Returns the next row; nil at the end.
  mutating func row() throws(ImportError) -> TextTable.Row? {
    guard index < bytes.count else { return nil }
    let start = line
    var fields: [String] = []
    while true {
      fields.append(try field())
      guard fields.count <= TextTable.fieldsMax else {
        throw failure(
          start, "a row has more than \(TextTable.fieldsMax) fields", "Check the separator")
      }
      guard index < bytes.count else { return TextTable.Row(line: start, fields: fields) }
      let byte = bytes[index]
      index += 1
      if byte == separator { continue }
      if byte == Self.carriageReturn { index += 1 }
      line += 1
      return TextTable.Row(line: start, fields: fields)
    }
  }

  /// Returns the next field. After it is a separator, an end of line, or the end.
  private mutating func field() throws(ImportError) -> String {
    guard index < bytes.count, bytes[index] == Self.quote else {
      return try text(bytes[try plain()], at: line)
    }
    let start = line
    index += 1
    var field: [UInt8] = []
    while true {
      guard index < bytes.count else {
        throw failure(start, "a quote begins here and does not end", "Close it, or double it")
      }
      let byte = bytes[index]
      index += 1
      if byte != Self.quote {
        if byte == Self.lineFeed { line += 1 }
        field.append(byte)
      } else if index < bytes.count, bytes[index] == Self.quote {
        field.append(byte)
        index += 1
      } else {
        break
      }
    }
    guard isAtEnd else {
      throw failure(
        line,
        "expected a separator or the end of the line after a quoted field, found something "
          + "else", "Double each quote inside a quoted field")
    }
    return try text(field[...], at: start)
  }

  /// Whether a field ends here.
  private var isAtEnd: Bool {
    guard index < bytes.count else { return true }
    let byte = bytes[index]
    return byte == separator || byte == Self.lineFeed || isLineEnd(index)
  }

  /// Whether a carriage return with a line feed stands here.
  private func isLineEnd(_ index: Int) -> Bool {
    bytes[index] == Self.carriageReturn && index + 1 < bytes.count
      && bytes[index + 1] == Self.lineFeed
  }

  /// Returns where the unquoted field stands that begins here.
  private mutating func plain() throws(ImportError) -> Range<Int> {
    let start = index
    while index < bytes.count, !isAtEnd {
      if bytes[index] == Self.quote {
        throw failure(
          line, "a quote stands inside a field that does not begin with one",
          "Put the whole field in quotes, and double those inside it")
      }
      if bytes[index] == Self.carriageReturn {
        throw failure(
          line, "a carriage return stands without a line feed",
          "Put the field in quotes, or end lines with a line feed")
      }
      index += 1
    }
    return start..<index
  }

  private func text(_ bytes: ArraySlice<UInt8>, at line: Int) throws(ImportError) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    throw failure(line, "a field is not UTF-8", "Convert the file to UTF-8 first")
  }
}
