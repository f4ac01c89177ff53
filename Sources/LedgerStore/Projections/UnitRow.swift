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

  /// Folded-through position, believed time of the last fact, flags.
  private static let headerBytes = 8 + 8 + 1
  private static let isCoupledFlag: UInt8 = 1

  init(foldedThrough: UInt64, unit: Unit) {
    self.foldedThrough = foldedThrough
    self.unit = unit
  }

  /// Reads the row of the unit called `number`; nil where there is none.
  init?(
    _ number: UInt32, _ view: TransactionView, _ tables: ProjectionTables
  ) throws(LedgerError) {
    let bytes: Span<UInt8>?
    do throws(LMDBError) {
      let key = bigEndianKey(number)
      bytes = try view.get(tables.units, key.span)
    } catch { throw LedgerError(error) }
    guard let bytes else { return nil }
    try self.init(bytes)
  }

  init(_ bytes: Span<UInt8>) throws(LedgerError) {
    guard bytes.count >= Self.headerBytes else { throw Self.damaged(nil) }
    foldedThrough = bytes.bigEndianWord(at: 0)
    do throws(StateError) {
      unit = try Unit(decoding: bytes.extracting(Self.headerBytes..<bytes.count))
    } catch { throw Self.damaged(error) }
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndianWord: foldedThrough)
    bytes.append(bigEndianWord: UInt64(bitPattern: unit.lastKey?.time ?? .min))
    bytes.append(unit.couplings.isEmpty ? 0 : Self.isCoupledFlag)
    unit.encode(into: &bytes)
    return bytes
  }

  /// Whether a stored unit can rest on what changed, judged by its header alone.
  static func mayBeConcerned(_ bytes: Span<UInt8>, by change: ContextChange) -> Bool {
    guard bytes.count >= headerBytes else { return true }
    if change.addsEnvironment { return true }
    let lastTime = Int64(bitPattern: bytes.bigEndianWord(at: 8))
    if let from = change.absentDeviceFrom, lastTime >= from { return true }
    return change.products.contains { $0.from <= lastTime }
  }

  private static func damaged(_ cause: (any Error)?) -> LedgerError {
    LedgerError(
      .rebuildNeeded, "A row of the projections is damaged: run `daybook rebuild`.", cause: cause)
  }
}
