internal import LMDB
public import LedgerEvents
internal import LedgerModel

/// The ledger at one position: what questions are asked of.
///
/// Every answer that comes from one view is true at the same position, ``position``.
public struct LedgerView: ~Escapable {
  let log: LogView
  let projections: TransactionView
  let tables: ProjectionTables
  let reader: ReaderState

  /// The position of the newest event that answers rest on.
  public var position: UInt64 { reader.overlay.through }

  @_lifetime(copy log, copy projections)
  init(
    log: LogView, projections: TransactionView, tables: ProjectionTables, reader: ReaderState
  ) {
    self.log = log
    self.projections = projections
    self.tables = tables
    self.reader = reader
  }

  /// The event at a position, with its place and the ledger's clock.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func event(at position: UInt64) throws(LedgerError) -> RecordedEvent {
    try log.event(at: position)
  }

  /// The text of a name.
  public func text(of number: NameNumber) throws(LedgerError) -> Name {
    try log.name(number).name
  }

  /// The number of a name; nil where no event uses it, and where whom it names was erased.
  public func number(of kind: NameKind, _ name: Name) throws(LedgerError) -> NameNumber? {
    try reader.overlay.number(
      of: NameUse(kind: kind, name: name), log, reader.keyHash, tables, projections)
  }

  /// The unit of a name, folded; nil where no event names it in a way that connects.
  func unit(of number: NameNumber) throws(LedgerError) -> Unit? {
    guard let unit = try foldedUnitNumber(of: number) else { return nil }
    return try state(of: unit)
  }

  /// The number of the unit of a name, after the events behind the projections have joined units
  /// and parted others; nil where no event names it in a way that connects.
  ///
  /// - Complexity: as `state(of:)`.
  func foldedUnitNumber(of number: NameNumber) throws(LedgerError) -> UnitNumber? {
    guard var unit = try reader.overlay.unit(of: number, tables, projections) else { return nil }
    while true {
      // Folding a unit can join it with others or part it from them, once.
      _ = try state(of: unit)
      guard let now = try reader.overlay.unit(of: number, tables, projections), now != unit else {
        return unit
      }
      unit = now
    }
  }

  func state(of unit: UInt32) throws(LedgerError) -> Unit? {
    try reader.overlay.state(of: unit, log, tables, projections)
  }
}
