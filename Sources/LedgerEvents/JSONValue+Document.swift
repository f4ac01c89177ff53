extension JSONValue {
  /// What is done with a member whose value is `null`.
  public enum NullMembers: Sendable {
    /// The document is refused, as an event is.
    case refused
    /// The member is left out: to the store, `null` and an absent member mean the same.
    case leftOut
  }

  /// Parses a document that can span several lines.
  ///
  /// - Parameters:
  ///   - document: The text in UTF-8.
  ///   - nulls: What is done with a member that is `null`. Elsewhere, `null` is refused.
  /// - Throws: `EventError` with the line, and the column in bytes, if the document is not JSON or
  ///   breaks the rules of `init(json:)`.
  /// - Complexity: O(*n*) in the length of `document`.
  public init(document: [UInt8], nulls: NullMembers = .refused) throws(EventError) {
    do throws(EventError) {
      self = try JSONValue(json: Self.onOneLine(document), nulls: nulls)
    } catch {
      let before = document.prefix(max(error.column - 1, 0))
      let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      throw EventError(
        line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: max(error.column - start, 1),
        field: error.field, reason: error.reason)
    }
  }

  /// Returns the document with spaces in place of the line feeds and tabs between tokens, because
  /// the scanner reads events, which are on one line each. Offsets do not change, and strings are
  /// left as they are.
  private static func onOneLine(_ document: [UInt8]) -> [UInt8] {
    guard document.contains(UInt8(ascii: "\n")) else { return document }
    var line = document
    var isText = false
    var isEscaped = false
    for index in line.indices {
      switch line[index] {
      case UInt8(ascii: "\""): if !isEscaped { isText.toggle() }
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        if !isText { line[index] = UInt8(ascii: " ") }
      default: break
      }
      isEscaped = isText && line[index] == UInt8(ascii: "\\") && !isEscaped
    }
    return line
  }
}
