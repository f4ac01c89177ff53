internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The rows of the union-find over names, 500 parents each: read when a name of theirs is first
/// asked for, written when a merge ends.
///
/// A class, because it outlives the views that it is read with. Used by one thread at a time.
final class UnitMap {
  private var parents = UnitParents()
  private var changed: Set<Int> = []

  /// The parent of a name; nil where no fact has named it.
  func parent(
    of name: NameNumber, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) -> NameNumber? {
    let row = UnitParents.page(of: name)
    if !parents.has(page: row) { try load(row, table, view) }
    return parents.parent(of: name)
  }

  /// As `UnitParents.commonUnit(of:)`, among the rows that were read.
  func commonUnit(of names: UnitNodes) -> UnitNumber? { parents.commonUnit(of: names) }

  /// Gives a name a parent.
  func setParent(
    _ parent: NameNumber, of name: NameNumber, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) {
    let row = UnitParents.page(of: name)
    if !parents.has(page: row) { try load(row, table, view) }
    parents.setParent(parent, of: name)
    changed.insert(row)
  }

  /// Writes the rows that changed.
  func save(
    _ table: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    for row in changed.sorted() {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(UnitParents.namesPerPage * 4)
      for slot in parents.slots(ofPage: row) { bytes.append(bigEndianHalf: slot) }
      try transaction.put(table, UInt64(row), bytes.span)
    }
    changed.removeAll(keepingCapacity: true)
  }

  private func load(
    _ row: Int, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) {
    var slots = [UInt32](repeating: 0, count: UnitParents.namesPerPage)
    do throws(LMDBError) {
      if let bytes = try view.get(table, UInt64(row)) {
        for slot in 0..<min(slots.count, bytes.count / 4) {
          slots[slot] = bytes.bigEndianHalf(at: slot * 4)
        }
      }
    } catch { throw LedgerError(ofProjections: error) }
    parents.make(page: row, slots)
  }
}
