/// Rows for a table, flat: the values one after the other, and the bytes of all texts in one piece.
///
/// Rows are made on one thread and inserted on another. Texts of their own would be freed on the
/// other one, which costs the allocator more than copying them.
package struct RowBatch: Sendable {
  enum Value {
    case integer(Int64)
    /// Where its bytes are.
    case text(Range<Int>)
    /// Where its bytes are, of which one is zero.
    case blob(Range<Int>)
  }

  /// A row: the columns that have a value, a bit each, and where its values are.
  struct Row {
    var columns: UInt32
    var values: Range<Int>
  }

  /// How many columns a table can have.
  package static let columnsMax = UInt32.bitWidth

  private(set) var rows: [Row] = []
  private(set) var values: [Value] = []
  private(set) var bytes: [UInt8] = []
  private var columns: UInt32 = 0
  private var column: UInt32 = 0

  package init() {}

  package var count: Int { rows.count }
  /// The bytes of the texts.
  package var byteCount: Int { bytes.count }

  /// Leaves the row's next column without a value.
  package mutating func skip() { column += 1 }

  package mutating func append(_ number: Int64) { append(.integer(number)) }

  /// Appends a text; as bytes if it has U+0000, at which SQLite's texts end.
  package mutating func append(_ text: String) {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    let range = start..<bytes.count
    append(bytes[range].contains(0) ? .blob(range) : .text(range))
  }

  private mutating func append(_ value: Value) {
    precondition(column < Self.columnsMax, "a set of columns has \(Self.columnsMax) bits")
    values.append(value)
    columns |= 1 << column
    column += 1
  }

  /// Ends the row.
  package mutating func endRow() {
    rows.append(Row(columns: columns, values: (rows.last?.values.upperBound ?? 0)..<values.count))
    (columns, column) = (0, 0)
  }
}
