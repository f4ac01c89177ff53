internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// A unit as it is stored: its state, and how far it was folded.
///
/// A row may be ahead of the checkpoint, because a large merge is written in several commits: what
/// it has folded already is not folded again.
struct UnitRow {
  /// Every fact of the unit up to this position is in the state.
  var foldedThrough: UInt64
  var unit: Unit

  init(foldedThrough: UInt64, unit: Unit) {
    self.foldedThrough = foldedThrough
    self.unit = unit
  }

  init?(
    _ number: UInt32, _ view: TransactionView, _ tables: ProjectionTables
  ) throws(LedgerError) {
    do throws(LMDBError) {
      let key = bigEndianKey(number)
      guard let bytes = try view.get(tables.units, key.span) else { return nil }
      self = try UnitRow(bytes)
    } catch { throw LedgerError(error) }
  }

  init(_ bytes: Span<UInt8>) throws(LMDBError) {
    foldedThrough = bytes.bigEndianWord(at: 0)
    unit = Unit()
  }

  func write(
    _ number: UInt32, _ transaction: inout WriteTransaction, _ tables: ProjectionTables
  ) throws(LMDBError) {
    var bytes: [UInt8] = []
    bytes.append(bigEndianWord: foldedThrough)
    unit.encode(into: &bytes)
    let key = bigEndianKey(number)
    try transaction.put(tables.units, key.span, bytes.span)
  }
}
