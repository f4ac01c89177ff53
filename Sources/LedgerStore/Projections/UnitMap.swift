internal import LMDB
internal import LedgerEvents

/// Which unit each name belongs to: a union-find over name numbers whose parent pointers lie in
/// the projections, 500 to a row.
///
/// A unit is called by the first name that was in it, of joined ones by the smaller, so that
/// its name does not depend on how the log was cut into batches. Unit 0 is that of the facts
/// that name nothing that connects. A slot holds the parent plus one; a number that is its
/// own parent is a unit, and an empty slot is one that no fact has named yet.
struct UnitMap {
  /// 500 numbers of four bytes: the largest round count that keeps a row inside a page.
  static let numbersPerRow = 500

  /// Rows by number / 500; empty where the row has not been looked at.
  private var rows: [[UInt32]] = []
  private var changed: Set<Int> = []

  /// The unit of `number`; nil where no fact has named it.
  ///
  /// - Complexity: O(log *n*) amortized; reads a row at the first question about it.
  /// - Throws: `rebuildNeeded` where the rows are damaged: a name may join a unit with a larger
  ///   number, but units join smaller ones only, so that whatever does not descend is no map.
  mutating func unit(
    of number: NameNumber, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) -> UInt32? {
    guard let parent = try parent(of: number, table, view) else { return nil }
    if parent == number { return number }
    var root = parent
    // No name has the number 0: the unit of the facts without one is never taken in.
    while root != 0 {
      guard let next = try self.parent(of: root, table, view), next <= root else {
        throw .damagedUnits
      }
      if next == root { break }
      root = next
    }
    if root != parent { set(number, root) }
    return root
  }

  /// Joins two units into the one with the smaller number.
  mutating func join(_ first: UInt32, _ second: UInt32) -> (into: UInt32, absorbed: UInt32) {
    let (into, absorbed) = (min(first, second), max(first, second))
    set(absorbed, into)
    return (into, absorbed)
  }

  /// Gives a number that has no unit to one, or makes it a unit of its own.
  mutating func attach(_ number: NameNumber, to unit: UInt32) -> UInt32 {
    set(number, unit)
    return unit
  }

  /// Writes the rows that changed.
  mutating func save(
    _ table: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    for row in changed.sorted() {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.numbersPerRow * 4)
      for slot in rows[row] { bytes.append(bigEndianHalf: slot) }
      try transaction.put(table, UInt64(row), bytes.span)
    }
    changed.removeAll(keepingCapacity: true)
  }

  private func row(of number: NameNumber) -> Int { Int(number) / Self.numbersPerRow }

  private func slot(of number: NameNumber) -> Int { Int(number) % Self.numbersPerRow }

  private mutating func set(_ number: NameNumber, _ parent: UInt32) {
    rows[row(of: number)][slot(of: number)] = parent + 1
    changed.insert(row(of: number))
  }

  private mutating func parent(
    of number: NameNumber, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) -> UInt32? {
    let row = row(of: number)
    while rows.count <= row { rows.append([]) }
    if rows[row].isEmpty { rows[row] = try load(row, table, view) }
    let slot = rows[row][slot(of: number)]
    return slot == 0 ? nil : slot - 1
  }

  private func load(
    _ row: Int, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) -> [UInt32] {
    var slots = [UInt32](repeating: 0, count: Self.numbersPerRow)
    do throws(LMDBError) {
      guard let bytes = try view.get(table, UInt64(row)) else { return slots }
      for slot in 0..<min(Self.numbersPerRow, bytes.count / 4) {
        slots[slot] = bytes.bigEndianHalf(at: slot * 4)
      }
    } catch { throw LedgerError(error) }
    return slots
  }
}

extension LedgerError {
  fileprivate static let damagedUnits = LedgerError(
    .rebuildNeeded, "The map of units of the projections is damaged: run `daybook rebuild`.")
}
