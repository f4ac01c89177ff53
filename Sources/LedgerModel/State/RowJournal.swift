/// What a table needs to go back to earlier moments: the former content of each row that has
/// changed since.
struct RowJournal<Row: Sendable>: Sendable {
  private struct Mark: Sendable {
    /// How many former rows were kept before it.
    var formerCount: Int
    /// How many rows the table had.
    var rowCount: Int
  }

  private struct Former: Sendable {
    var index: Int
    var row: Row
  }

  private var marks: [Mark] = []
  /// In the order of the changes.
  private var former: [Former] = []
  /// A bit for each row that was there at the newest mark; it is set once its content is kept.
  private var kept: [UInt64] = []

  private static var bitsPerWord: Int { UInt64.bitWidth }

  /// The number of former rows.
  var count: Int { former.count }

  /// Marks the present moment.
  ///
  /// - Complexity: O(*n* / 64) in the rows.
  mutating func mark(rowCount: Int) {
    marks.append(Mark(formerCount: former.count, rowCount: rowCount))
    resetKept(rowCount)
  }

  private mutating func resetKept(_ rowCount: Int) {
    let words = (rowCount + Self.bitsPerWord - 1) / Self.bitsPerWord
    kept = [UInt64](repeating: 0, count: words)
  }

  /// Keeps the content of a row that is about to change.
  mutating func keep(_ index: Int, of rows: [Row]) {
    guard let last = marks.last, index < last.rowCount else { return }
    let (word, bit) = (index / Self.bitsPerWord, UInt64(1) << UInt64(index % Self.bitsPerWord))
    if kept[word] & bit != 0 { return }
    kept[word] |= bit
    former.append(Former(index: index, row: rows[index]))
  }

  /// Takes rows back to a mark, and calls `body` with each change: first with each row that is
  /// removed, then with each that gets its former content, the newest changes first.
  ///
  /// - Complexity: O(*k*) in the changes since the mark, and O(*n* / 64) in the rows.
  mutating func goBack(
    to mark: Int, _ rows: inout [Row],
    _ body: (_ index: Int, _ now: Row, _ then: inout Row?) -> Void
  ) {
    let (formerCount, rowCount) = (marks[mark].formerCount, marks[mark].rowCount)
    for index in rowCount..<rows.count {
      var nothing: Row?
      body(index, rows[index], &nothing)
    }
    rows.removeLast(rows.count - rowCount)
    for change in former[formerCount...].reversed() where change.index < rowCount {
      var then: Row? = change.row
      body(change.index, rows[change.index], &then)
      if let then { rows[change.index] = then }
    }
    former.removeLast(former.count - formerCount)
    marks.removeLast(marks.count - mark - 1)
    resetKept(rowCount)
  }

  /// Forgets the oldest marks.
  ///
  /// - Complexity: O(*k*) in the changes since the first mark that stays.
  mutating func forgetMarks(_ count: Int) {
    marks.removeFirst(count)
    let first = marks.first?.formerCount ?? former.count
    former.removeFirst(first)
    for index in marks.indices { marks[index].formerCount -= first }
  }
}
