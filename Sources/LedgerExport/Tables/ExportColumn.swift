/// A column of a table: its name, and what its cells are.
public struct ExportColumn: Hashable, Sendable {
  /// The type of a column's cells, unless they are absent.
  public enum Kind: Hashable, Sendable {
    case text
    /// RFC 3339 in UTC.
    case time
    case integer
    case boolean
    /// A decimal number.
    case decimal
    /// JSON text.
    case json
  }

  public let name: String
  public let kind: Kind

  init(_ name: String, _ kind: Kind = .text) {
    self.name = name
    self.kind = kind
  }
}
