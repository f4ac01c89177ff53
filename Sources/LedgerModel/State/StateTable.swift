/// The rows of one table of a unit's state, in the order in which they were added.
///
/// A table can remember which of its rows have changed since they were stored. A store then writes
/// only these, and the cost of an event does not depend on the age of its customer. A table that
/// was never stored remembers nothing, and all of it counts as changed.
///
/// It can also go back to earlier moments that were marked (`RowJournal`).
struct StateTable<Row: Sendable>: Sendable, ExpressibleByArrayLiteral {
  private(set) var rows: [Row]
  /// A bit for each row that was there when the table was stored; it is set if the row has changed
  /// since. Rows beyond the last bit are new. `nil` if nothing of the table is stored.
  private var changed: [UInt64]?
  /// The number of rows that are stored.
  private var storedCount = 0
  /// One at most. An array is a pointer, and most tables, which are copied a lot, have none.
  private var journal: [RowJournal<Row>] = []
  /// Whether anything has to know of a change.
  private var isWatched = false

  private static var bitsPerWord: Int { UInt64.bitWidth }

  init(_ rows: [Row] = []) { self.rows = rows }

  init(arrayLiteral elements: Row...) { rows = elements }

  mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

  mutating func append(_ row: Row) {
    if isWatched { noteChange(at: rows.count) }
    rows.append(row)
  }

  static func += (table: inout StateTable, rows: some Sequence<Row>) {
    for row in rows { table.append(row) }
  }

  private mutating func noteChange(at index: Int) {
    if !journal.isEmpty { journal[0].keep(index, of: rows) }
    noteUnstored(index)
  }

  private mutating func noteUnstored(_ index: Int) {
    let word = index / Self.bitsPerWord
    guard let count = changed?.count, word < count else { return }
    changed?[word] |= 1 << UInt64(index % Self.bitsPerWord)
  }
}

extension StateTable: RandomAccessCollection, MutableCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { rows.count }

  subscript(index: Int) -> Row {
    _read { yield rows[index] }
    _modify {
      if isWatched { noteChange(at: index) }
      yield &rows[index]
    }
  }

  func makeIterator() -> IndexingIterator<[Row]> { rows.makeIterator() }
}

// MARK: - What has changed

extension StateTable {
  /// Notes that the table is stored as it is now.
  ///
  /// - Complexity: O(*n* / 64) in the rows.
  mutating func markStored() {
    let words = (rows.count + Self.bitsPerWord - 1) / Self.bitsPerWord
    changed = [UInt64](repeating: 0, count: words)
    storedCount = rows.count
    isWatched = true
  }

  /// The pages that are stored and have no rows any more.
  func lostPages(of rowsPerPage: Int) -> Range<Int> {
    let end = (rows.count + rowsPerPage - 1) / rowsPerPage
    return end..<Swift.max(end, (storedCount + rowsPerPage - 1) / rowsPerPage)
  }

  /// The pages of the table, or only those with rows that have changed since it was stored, in
  /// ascending order.
  ///
  /// - Complexity: O(*n* / 64) in the rows, and O(*k*) in those that changed.
  func pages(of rowsPerPage: Int, onlyChanged: Bool) -> [Int] {
    let pageCount = (rows.count + rowsPerPage - 1) / rowsPerPage
    guard onlyChanged, let changed else { return Array(0..<pageCount) }
    var pages: [Int] = []
    func add(_ page: Int) {
      if page < pageCount, pages.last.map({ $0 < page }) ?? true { pages.append(page) }
    }
    for (index, word) in changed.enumerated() where word != 0 {
      var rest = word
      while rest != 0 {
        add((index * Self.bitsPerWord + rest.trailingZeroBitCount) / rowsPerPage)
        rest &= rest - 1
      }
    }
    let storedEnd = changed.count * Self.bitsPerWord
    if storedEnd < rows.count {
      for page in storedEnd / rowsPerPage..<pageCount { add(page) }
    }
    return pages
  }
}

// MARK: - Going back

extension StateTable {
  /// The number of former rows that are kept to go back.
  var formerCount: Int { journal.first?.count ?? 0 }

  /// Marks the present moment.
  ///
  /// - Complexity: O(*n* / 64) in the rows.
  mutating func mark() {
    if journal.isEmpty { journal.append(RowJournal()) }
    journal[0].mark(rowCount: rows.count)
    isWatched = true
  }

  /// Goes back to a mark, which stays.
  ///
  /// - Parameter body: Called with each change, the newest first: the index of a row, its content
  ///   now, and its content at the mark; `nil` if there was no such row.
  /// - Complexity: O(*k*) in the changes since the mark, and O(*n* / 64) in the rows.
  mutating func goBack(
    to mark: Int, _ body: (_ index: Int, _ now: Row, _ then: inout Row?) -> Void = { _, _, _ in }
  ) {
    let count = rows.count
    var restored: [Int] = []
    journal[0].goBack(to: mark, &rows) { index, now, then in
      body(index, now, &then)
      if then != nil { restored.append(index) }
    }
    for index in restored { noteUnstored(index) }
    // What the last page has lost must be written, too.
    if rows.count < count, !rows.isEmpty { noteUnstored(rows.count - 1) }
  }

  /// Forgets the oldest marks.
  mutating func forgetMarks(_ count: Int) { journal[0].forgetMarks(count) }

  /// Forgets all marks.
  mutating func forgetMarks() {
    journal = []
    isWatched = changed != nil
  }
}
