internal import LMDB
public import LedgerEvents
internal import LedgerModel

/// The ledger at one position, which answers questions.
///
/// Every answer that comes from one view is true at the same position, ``position``.
///
/// Queries use only this interface: the log, names and their texts, a unit by name or number, the
/// facts of a unit, the fold context, and an iterator over all units, each now or at the clocks.
/// The tables behind it and what is folded in memory stay inside this module.
public struct LedgerView: ~Escapable {
  /// The log at the same position: records, names and the tree.
  package let log: LogView
  /// The texts of names and ids for the reducer. Their `check()` throws the failure that a fold
  /// could not throw.
  package let texts: LogTexts
  let projections: TransactionView
  let tables: ProjectionTables
  let reader: ReaderState

  /// The position of the newest event that answers take into account.
  public var position: UInt64 { reader.overlay.through }

  @_lifetime(copy log, copy projections)
  init(
    log: LogView, projections: TransactionView, tables: ProjectionTables, reader: ReaderState
  ) {
    self.log = log
    self.texts = reader.texts
    self.projections = projections
    self.tables = tables
    self.reader = reader
    reader.recent = RecentUnits()
  }

  /// The event at a position, with its position and the time of recording.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func event(at position: UInt64) throws(LedgerError) -> RecordedEvent {
    try log.event(at: position)
  }

  /// The text of a name.
  public func text(of number: NameNumber) throws(LedgerError) -> Name {
    try log.name(number).name
  }

  /// The text of a name; `nil` for 0, which is not the number of a name.
  package func text(_ number: NameNumber) throws(LedgerError) -> Name? {
    number == 0 ? nil : try text(of: number)
  }

  /// The number of a name; `nil` if no event uses it, or if the person that it names was erased.
  public func number(of kind: NameKind, _ name: Name) throws(LedgerError) -> NameNumber? {
    try reader.overlay.number(
      of: NameUse(kind: kind, name: name), log, reader.keyHash, tables, projections)
  }

  /// The numbers of those of the names that have one.
  package func numbers(
    of kind: NameKind, _ names: some Sequence<Name>
  ) throws(LedgerError) -> Set<NameNumber> {
    var numbers: Set<NameNumber> = []
    for name in names {
      if let number = try number(of: kind, name) { numbers.insert(number) }
    }
    return numbers
  }
}
