internal import LMDB
internal import LedgerModel

/// How a merge commits. Tests interrupt merges at any commit, and count what they decode.
struct MergePace {
  var rowCountMax = PendingRows.rowCountMax
  /// The maximum size in bytes of the rows whose states are held until they are folded: states that
  /// do not fit are read again. In memory, they take a few times as much.
  var heldByteCountMax = 16 << 20
  var layout = UnitLayout.usual
  /// The maximum number of rows of large units that stay in memory until the next merge.
  var keptRowsMax = KeptUnits.rowsMax
  /// Called before each commit of rows, including the last one.
  var beforeCommit: () throws(LedgerError) -> Void = {}
  /// Called for each row of a unit that is decoded.
  var didDecode: (UnitNumber) -> Void = { _ in }
  /// Called for each unit that was folded ahead.
  var didFoldAhead: (UnitNumber) -> Void = { _ in }
}

/// Rows to be written into the projections, in commits of bounded size.
///
/// One LMDB commit can write a limited number of pages, and a long one keeps readers' pages alive.
struct PendingRows: Sendable {
  private struct Row: Sendable {
    var table: RowTable
    var key: [UInt8]
    /// `nil` removes the row.
    var value: [UInt8]?
  }

  private var rows: [Row] = []
  private var byteCount = 0

  /// The size of the rows in one commit, in bytes. Rows land in at most as many pages as there are
  /// rows, and 24 MiB of them stay far below the 131,071 pages that a commit can write.
  static let byteCountMax = 24 << 20
  static let rowCountMax = 50_000

  func isFull(_ pace: MergePace) -> Bool {
    byteCount > Self.byteCountMax || rows.count > pace.rowCountMax
  }

  var isEmpty: Bool { rows.isEmpty }

  mutating func put(_ table: RowTable, _ key: [UInt8], _ value: [UInt8]) {
    rows.append(Row(table: table, key: key, value: value))
    byteCount += key.count + value.count
  }

  mutating func append(_ other: PendingRows) {
    rows += other.rows
    byteCount += other.byteCount
  }

  mutating func delete(_ table: RowTable, _ key: [UInt8]) {
    rows.append(Row(table: table, key: key, value: nil))
  }

  mutating func write(_ transaction: inout WriteTransaction) throws(LMDBError) {
    for row in rows {
      if let value = row.value {
        try row.table.put(row.key.span, value, &transaction)
      } else {
        _ = try transaction.delete(row.table.table, row.key.span)
      }
    }
    rows.removeAll(keepingCapacity: true)
    byteCount = 0
  }
}
