extension JSONValue {
  /// Takes apart a document that a person wrote over many lines.
  ///
  /// - Throws: `EventError` with the line, and the column in bytes, where it is no JSON or breaks
  ///   what `init(json:)` holds a value to.
  /// - Complexity: O(*n*) in the length of `document`.
  public init(document: [UInt8]) throws(EventError) {
    do throws(EventError) { self = try JSONValue(json: Self.onOneLine(document)) } catch {
      let before = document.prefix(max(error.column - 1, 0))
      let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      throw EventError(
        line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: max(error.column - start, 1),
        field: error.field, reason: error.reason)
    }
  }

  /// The document with spaces for the line feeds and tabs between its tokens: the reader is that of
  /// events, which are one line each. Bytes keep their places, and texts are left as they are.
  private static func onOneLine(_ document: [UInt8]) -> [UInt8] {
    var line = document
    var isText = false
    var isEscaped = false
    for place in line.indices {
      switch line[place] {
      case UInt8(ascii: "\""): if !isEscaped { isText.toggle() }
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        if !isText { line[place] = UInt8(ascii: " ") }
      default: break
      }
      isEscaped = isText && line[place] == UInt8(ascii: "\\") && !isEscaped
    }
    return line
  }
}
