internal import LMDB
internal import LedgerEvents

/// Which unit each name belongs to: a union-find over name numbers whose parent pointers lie in
/// the projections, 500 to a row.
///
/// A unit is called by the smallest name number in it, so that its name does not depend on how the
/// log was cut into batches. Parents point to smaller numbers; a number that points to itself is a
/// unit, and 0 is a number that nothing has joined yet.
struct UnitMap {
  /// 500 numbers of four bytes: the largest round count that keeps a row inside a page.
  static let numbersPerRow = 500

  /// Rows by number / 500; empty where the row has not been looked at.
  private var rows: [[UInt32]] = []
  private var changed: Set<Int> = []

  /// The unit of `number`, or 0.
  ///
  /// - Complexity: O(log *n*) amortized; reads a row at the first question about it.
  mutating func unit(
    of number: NameNumber, _ table: Table, _ view: borrowing TransactionView
  ) throws(LMDBError) -> UInt32 {
    var root = try parent(of: number, table, view)
    guard root != 0, root != number else { return root }
    while true {
      let next = try parent(of: root, table, view)
      if next == root { break }
      root = next
    }
    if rows[row(of: number)][slot(of: number)] != root { set(number, root) }
    return root
  }

  /// Joins `number` and `other` into one unit and says which units became one, if two did.
  mutating func join(
    _ number: NameNumber, _ other: NameNumber, _ table: Table, _ view: borrowing TransactionView
  ) throws(LMDBError) -> (into: UInt32, absorbed: UInt32)? {
    let first = try add(number, table, view)
    let second = try add(other, table, view)
    guard first != second else { return nil }
    let (into, absorbed) = (min(first, second), max(first, second))
    set(absorbed, into)
    return (into, absorbed)
  }

  /// The unit of `number`, a new one of its own if it had none.
  mutating func add(
    _ number: NameNumber, _ table: Table, _ view: borrowing TransactionView
  ) throws(LMDBError) -> UInt32 {
    let unit = try unit(of: number, table, view)
    if unit != 0 { return unit }
    set(number, number)
    return number
  }

  /// Writes the rows that changed.
  mutating func save(
    _ table: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    for row in changed.sorted() {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.numbersPerRow * 4)
      for number in rows[row] { bytes.appendLittleEndian(number) }
      try transaction.put(table, UInt64(row), bytes.span.bytes)
    }
    changed.removeAll(keepingCapacity: true)
  }

  private func row(of number: NameNumber) -> Int { Int(number) / Self.numbersPerRow }

  private func slot(of number: NameNumber) -> Int { Int(number) % Self.numbersPerRow }

  private mutating func set(_ number: NameNumber, _ parent: UInt32) {
    rows[row(of: number)][slot(of: number)] = parent
    changed.insert(row(of: number))
  }

  private mutating func parent(
    of number: NameNumber, _ table: Table, _ view: borrowing TransactionView
  ) throws(LMDBError) -> UInt32 {
    let row = row(of: number)
    while rows.count <= row { rows.append([]) }
    if rows[row].isEmpty {
      var numbers = [UInt32](repeating: 0, count: Self.numbersPerRow)
      if let bytes = try view.get(table, UInt64(row)) {
        for slot in 0..<min(Self.numbersPerRow, bytes.byteCount / 4) {
          numbers[slot] = bytes.littleEndian32(at: slot * 4)
        }
      }
      rows[row] = numbers
    }
    return rows[row][slot(of: number)]
  }
}
