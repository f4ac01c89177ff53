internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The rows of the union-find over names, with 500 parents each. A row is read when one of its
/// names is first looked up, and written when a merge ends.
///
/// It is a class because it outlives the views from which it is read. Used by one thread at a time.
final class UnitMap {
  private var parents = UnitParents()
  private var changed: Set<Int> = []
  /// The rows of all names up to this one are stored, so a missing row is known to be lost.
  private var knownName: NameNumber

  /// The map up to the last name that a checkpoint knows.
  init(through name: NameNumber) { knownName = name }

  /// The parent of a name; `nil` if no fact has named it.
  func parent(
    of name: NameNumber, _ table: RowTable, _ view: TransactionView
  ) throws(LedgerError) -> NameNumber? {
    let row = UnitParents.page(of: name)
    if !parents.has(page: row) { try load(row, table, view) }
    return parents.parent(of: name)
  }

  /// Like `UnitParents.commonUnit(of:)`, among the rows that have been read.
  func commonUnit(of names: UnitNodes) -> UnitNumber? { parents.commonUnit(of: names) }

  /// Gives a name a parent.
  func setParent(
    _ parent: NameNumber, of name: NameNumber, _ table: RowTable, _ view: TransactionView
  ) throws(LedgerError) {
    let row = UnitParents.page(of: name)
    if !parents.has(page: row) { try load(row, table, view) }
    parents.setParent(parent, of: name)
    changed.insert(row)
  }

  /// Writes the rows that changed, and those of names up to `name` that no fact has named.
  func save(
    _ table: RowTable, through name: NameNumber, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    if name > knownName {
      let first = knownName == 0 ? 0 : UnitParents.page(of: knownName) + 1
      for row in first..<max(first, UnitParents.page(of: name) + 1) {
        if !parents.has(page: row) { parents.make(page: row) }
        changed.insert(row)
      }
      knownName = name
    }
    for row in changed.sorted() {
      assert(parents.isSound(page: row), "names of row \(row) lead to no unit")
      var bytes: [UInt8] = []
      bytes.reserveCapacity(UnitParents.namesPerPage * 4)
      for slot in parents.slots(ofPage: row) { bytes.append(bigEndianHalf: slot) }
      try table.put(bigEndianKey(UInt64(row)).span, bytes, &transaction)
    }
    changed.removeAll(keepingCapacity: true)
  }

  private func load(
    _ row: Int, _ table: RowTable, _ view: TransactionView
  ) throws(LedgerError) {
    var slots = [UInt32](repeating: 0, count: UnitParents.namesPerPage)
    let key = bigEndianKey(UInt64(row))
    if let bytes = try table.row(key.span, view) {
      for slot in 0..<min(slots.count, bytes.count / 4) {
        slots[slot] = bytes.bigEndianHalf(at: slot * 4)
      }
    } else if knownName > 0, row <= UnitParents.page(of: knownName) {
      throw .damagedProjections("The map of units of the projections lacks a row")
    }
    parents.make(page: row, slots)
  }
}
