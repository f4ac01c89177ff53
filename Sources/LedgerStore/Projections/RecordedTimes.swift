internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The earliest `recordedAt` of blocks of positions, and of blocks of blocks, which lead to the
/// last position that was recorded by a given time.
///
/// The ledger's clock is recorded as it was and may go back, so a binary search over positions
/// would fail. A block whose earliest time is after the requested one contains no match and is
/// skipped. Complete blocks never change.
struct RecordedTimes {
  /// One complete block.
  struct Row {
    /// 0 for a block of positions. A block of any other level consists of `fanOut` blocks of the
    /// level below.
    var level: UInt8
    var index: UInt64
    /// In microseconds.
    var earliest: Int64
  }

  /// The number of positions in the smallest block. At most this many records are read one by one.
  var blockEvents: UInt64 = 1_024
  /// The number of blocks in a block of the next level.
  var fanOut: UInt64 = 256

  /// The blocks of positions that end within a batch.
  ///
  /// - Complexity: O(*n*) in the batch.
  func rows(of batch: FactBatch, in log: LogView) throws(LedgerError) -> [Row] {
    let first = batch.firstPosition
    let end = first + UInt64(batch.facts.count)
    var rows: [Row] = []
    for index in (first - 1) / blockEvents..<(end - 1) / blockEvents {
      let block = index * blockEvents + 1...(index + 1) * blockEvents
      var earliest = Int64.max
      if block.lowerBound < first {
        var cursor = try log.records(in: block.lowerBound...first - 1)
        while try cursor.next() {
          earliest = min(earliest, try cursor.record(isChecked: false).recordedAt.microseconds)
        }
      }
      for position in max(block.lowerBound, first)...block.upperBound {
        earliest = min(earliest, batch.facts[Int(position - first)].recordedAt)
      }
      rows.append(Row(level: 0, index: index, earliest: earliest))
    }
    return rows
  }

  /// Writes complete blocks, and those that they complete on the levels above.
  ///
  /// - Parameter rows: The rows in ascending order, directly after those written last.
  func write(
    _ rows: [Row], _ table: RowTable, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    for row in rows {
      var row = row
      try put(row, table, &transaction)
      while (row.index + 1).isMultiple(of: fanOut) {
        let above = row.index / fanOut
        var earliest = Int64.max
        for index in above * fanOut..<(above + 1) * fanOut {
          let part = try Self.earliest(row.level, index, table, transaction.view)
          earliest = min(earliest, part ?? .min)
        }
        row = Row(level: row.level + 1, index: above, earliest: earliest)
        try put(row, table, &transaction)
      }
    }
  }

  /// Returns the last position up to `end` whose `recordedAt` is not after `time`; 0 if there is
  /// none.
  ///
  /// - Parameter stored: The position up to which blocks may be stored.
  /// - Complexity: O(log *n*), and O(*k*) in the positions after `stored`.
  func lastPosition(
    recordedBy time: Instant, _ log: LogView, through end: UInt64, _ table: RowTable,
    _ view: TransactionView, storedThrough stored: UInt64
  ) throws(LedgerError) -> UInt64 {
    var position = end
    let covered = min(stored, end) / blockEvents * blockEvents
    if position > covered {
      if let found = try last(recordedBy: time, log, in: covered + 1...position) { return found }
      position = covered
    }
    while position > 0 {
      if let passed = try blockAfter(time, endingAt: position, table, view) {
        position -= passed
      } else if let found = try last(
        recordedBy: time, log, in: position - blockEvents + 1...position)
      {
        return found
      } else {
        position -= blockEvents
      }
    }
    return 0
  }

  /// The size of the largest stored block that ends at a position and lies entirely after a time;
  /// `nil` if there is none.
  private func blockAfter(
    _ time: Instant, endingAt position: UInt64, _ table: RowTable, _ view: TransactionView
  ) throws(LedgerError) -> UInt64? {
    var passed: UInt64?
    var (level, size) = (UInt8(0), blockEvents)
    while position.isMultiple(of: size) {
      let earliest = try Self.earliest(level, position / size - 1, table, view)
      guard let earliest, earliest > time.microseconds else { break }
      passed = size
      let (above, isOver) = size.multipliedReportingOverflow(by: fanOut)
      if isOver { break }
      (level, size) = (level + 1, above)
    }
    return passed
  }

  private func last(
    recordedBy time: Instant, _ log: LogView, in positions: ClosedRange<UInt64>
  ) throws(LedgerError) -> UInt64? {
    var cursor = try log.records(in: positions, reverse: true)
    while try cursor.next() {
      if try cursor.record(isChecked: false).recordedAt <= time { return cursor.position }
    }
    return nil
  }

  /// Level and index.
  private static func key(_ level: UInt8, _ index: UInt64) -> [UInt8] {
    var key = [level]
    key.append(bigEndianWord: index)
    return key
  }

  private func put(
    _ row: Row, _ table: RowTable, _ transaction: inout WriteTransaction
  ) throws(LedgerError) {
    var content: [UInt8] = []
    content.append(bigEndianWord: UInt64(bitPattern: row.earliest))
    do throws(LMDBError) {
      try table.put(Self.key(row.level, row.index).span, content, &transaction)
    } catch { throw LedgerError(ofProjections: error) }
  }

  private static func earliest(
    _ level: UInt8, _ index: UInt64, _ table: RowTable, _ view: TransactionView
  ) throws(LedgerError) -> Int64? {
    let key = key(level, index)
    guard let found = try table.row(key.span, view), found.count == 8 else { return nil }
    return Int64(bitPattern: found.bigEndianWord(at: 0))
  }
}
