internal import LedgerQueries

/// One value of a row.
enum ExportCell: Hashable, Sendable {
  case absent
  case text(String)
  case integer(Int64)
  case boolean(Bool)
  /// Money: an exact decimal, never a float.
  case decimal(ExactDecimal)
  /// JSON text, unchanged.
  case json(String)
}

extension ExportCell {
  /// Whether it has no value.
  var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The exact value of an integer or a decimal.
  var number: ExactDecimal? {
    switch self {
    case .integer(let number): ExactDecimal(integer: number)
    case .decimal(let number): number
    case .absent, .text, .boolean, .json: nil
    }
  }
}
