internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

/// Writes the projections: turns what a `UnitSet` folds into rows.
///
/// Rows of units are written ahead in commits of bounded size. The map of units, the indexes and
/// the checkpoint follow in the last commit. After an interruption, the merge starts again from the
/// same checkpoint and produces the same rows.
struct Merge: ~Escapable {
  private(set) var stored: StoredUnits
  private let log: EventLog
  private let projections: Projections
  let checkpoint: Checkpoint
  let pace: MergePace
  private var rows = PendingRows()
  /// Rows for the last commit only: those of units that couplings joined or that were parted. Until
  /// then, a reader or a repeated merge may have more events and find different units.
  private var lastRows = PendingRows()
  /// The index of units that were joined or parted, as it is stored.
  private var postings: [UnitNumber: UnitPostings] = [:]
  /// The rows in other tables of units whose states were read, until the units are written. Nearly
  /// every unit is written as soon as it was read.
  var formerRows: [UnitNumber: FormerRows] = [:]
  /// States that were read to see what concerns them. The fold takes them from here, so that no row
  /// is decoded twice.
  private var heldStates: [UnitNumber: (state: StoredState, byteCount: Int)] = [:]
  /// The bytes of the rows that the held states were read from.
  private var heldByteCount = 0
  /// Large units from earlier merges, and those that this one has written.
  var kept: KeptUnits
  /// What was kept about units whose states the fold has taken.
  var taken: [UnitNumber: KeptUnit] = [:]
  /// Units that are folded ahead; `nil` if there are few.
  private var ahead: UnitsAhead?

  /// The maximum number of units that only couplings could still make part of the fold, and whose
  /// rows in other tables are remembered.
  private static let coupledRowsMax = 100_000

  /// - Parameters:
  ///   - checkpoint: The checkpoint at which the merge ends.
  ///   - kept: What merges up to the beginning of this one have kept.
  @_lifetime(copy stored)
  init(
    into stored: consuming StoredUnits, of projections: Projections, _ log: EventLog,
    through checkpoint: Checkpoint, keeping kept: KeptUnits, _ pace: MergePace
  ) {
    self.stored = stored
    self.log = log
    self.projections = projections
    self.checkpoint = checkpoint
    self.kept = kept
    self.pace = pace
  }

  var tables: ProjectionTables { stored.tables }
  var texts: LogTexts { stored.texts }
  var unitRows: UnitRows {
    UnitRows(tables: tables, texts: texts, foldedThrough: checkpoint.position)
  }

  /// Removes the answers of the accounts that the new facts erase, before new answers are stored
  /// under the same names.
  mutating func removeErased(by units: UnitSet) throws(LedgerError) {
    let erasures = Set(units.facts.filter { $0.kind == .accountErased }.map(\.position))
    if erasures.isEmpty { return }
    for unit in units.units {
      guard units.newFacts(of: unit).contains(where: { erasures.contains($0.position) }) else {
        continue
      }
      for member in [unit] + units.units(absorbedBy: unit) {
        guard let row = try readRow(of: member) else { continue }
        if units.units(absorbedBy: unit).isEmpty {
          hold(row, of: member)
        } else {
          // The state of a unit that absorbed others is not continued.
          formerRows[member] = FormerRows(row)
        }
        for account in row.unit?.answeredAccounts ?? [] {
          guard let key = try texts.answerKey(of: account, erasedAt: erasures) else { continue }
          rows.delete(tables.answers, key)
        }
      }
    }
  }

  /// Writes the remaining rows and the map, and removes the rows of absorbed units.
  mutating func finish(
    _ units: UnitSet, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    for unit in units.absorbedUnits.sorted() { rows.delete(tables.units, unit.bigEndianBytes) }
    try rows.write(&transaction)
    try lastRows.write(&transaction)
    try stored.parents.map.save(
      tables.unitMap, through: checkpoint.name, &transaction)
  }

  /// Commits the pending rows if there are many.
  private mutating func writeRowsIfFull() throws(LedgerError) {
    guard rows.isFull(pace) else { return }
    try pace.beforeCommit()
    do throws(LMDBError) {
      var transaction = try projections.environment.beginWrite()
      try rows.write(&transaction)
      try transaction.commit()
    } catch { throw LedgerError(ofProjections: error) }
  }

  /// Removes the rows in other tables that follow from a unit's former state.
  mutating func remove(_ unit: UnitNumber, _ rows: inout PendingRows) throws(LedgerError) {
    kept.forget(unit)
    let former: FormerRows
    if let known = formerRows.removeValue(forKey: unit) {
      former = known
    } else {
      former = FormerRows(try readRow(of: unit))
    }
    unitRows.remove(former, of: unit, &rows)
    guard former.rowsPerPage > 0 else { return }
    for key in try UnitPages(unit, tables.pages).keys(stored.view) {
      rows.delete(tables.pages, key)
    }
    rows.delete(tables.reports, unit.bigEndianBytes)
  }

  /// The stored row of a unit; `nil` if there is none.
  private func readRow(of unit: UnitNumber) throws(LedgerError) -> UnitRow? {
    if let row = kept.row(of: unit) { return row }
    let key = bigEndianKey(unit)
    guard let bytes = try tables.units.row(key.span, stored.view) else { return nil }
    return try decode(bytes, of: unit)
  }

  private func decode(
    _ bytes: Span<UInt8>, of unit: UnitNumber
  ) throws(LedgerError) -> UnitRow {
    pace.didDecode(unit)
    return try UnitRow(bytes, of: unit, stored.view, tables)
  }

  /// Holds a state that was read before it is folded, if there is room. One that is kept anyway is
  /// not held.
  private mutating func hold(_ row: UnitRow, of unit: UnitNumber) {
    let byteCount = (row.unit?.rowCount ?? 0) * Self.bytesPerRow
    guard heldByteCount + byteCount <= pace.heldByteCountMax, heldStates[unit] == nil,
      kept.row(of: unit) == nil
    else { return }
    formerRows[unit] = FormerRows(row)
    heldStates[unit] = (
      StoredState(foldedThrough: row.foldedThrough, unit: row.unit), byteCount
    )
    heldByteCount += byteCount
  }

  /// What a row of a state takes in the store, by and large.
  private static let bytesPerRow = 24

  /// The index of a unit, read once.
  private mutating func postings(of unit: UnitNumber) throws(LedgerError) -> UnitPostings {
    if let known = postings[unit] { return known }
    let found = try stored.postings(of: unit)
    postings[unit] = found
    return found
  }

  /// Returns what must be added to the index of units besides the events of the batch: the events
  /// of units that were absorbed or parted.
  ///
  /// - Complexity: O(*n*) in the stored events of the units that absorbed others or were parted.
  mutating func movedPostings(_ units: UnitSet) throws(LedgerError) -> [RunEntry] {
    var entries: [RunEntry] = []
    for unit in Set(units.absorbingUnits).union(units.parted.keys) where !units.isAbsorbed(unit) {
      var wanted: Set<UInt64> = []
      for member in [unit] + units.units(absorbedBy: unit) {
        if let facts = units.parted[member] {
          wanted.formUnion(facts.lazy.map(\.position))
        } else {
          wanted.formUnion(try postings(of: member).positions)
        }
      }
      entries += try postings(of: unit).entries(toHold: wanted, unit)
    }
    return entries
  }
}

// MARK: - Units that are folded ahead

extension Merge {
  mutating func willFold(_ units: SeparateUnits?) throws(LedgerError) {
    guard var units else { return }
    // What is in memory is not read again.
    units.units.removeAll {
      formerRows[$0] != nil || heldStates[$0] != nil || kept.row(of: $0) != nil
    }
    ahead = UnitsAhead(
      units, through: checkpoint.position, log, projections, pace.layout)
  }

  mutating func foldedAhead(_ unit: UnitNumber) throws(LedgerError) -> UnitAhead? {
    guard let found = ahead?.take(unit) else { return nil }
    pace.didFoldAhead(unit)
    if found.isDecoded { pace.didDecode(unit) }
    switch found.result {
    case .rows(let own):
      rows.append(own)
      try writeRowsIfFull()
      return .written
    case .folded(let folded):
      formerRows[unit] = found.former
      return .folded(folded)
    }
  }

  /// Ends what is folded ahead. Whatever becomes of the merge, call this before it goes.
  mutating func endAhead() {
    ahead?.end()
    ahead = nil
  }
}

extension Merge: UnitWriter {
  mutating func parent(of name: NameNumber) throws(LedgerError) -> NameNumber? {
    try stored.parent(of: name)
  }

  func commonUnit(of names: UnitNodes) -> UnitNumber? { stored.commonUnit(of: names) }

  mutating func setParent(_ parent: NameNumber, of name: NameNumber) throws(LedgerError) {
    try stored.setParent(parent, of: name)
  }

  func failDamaged() throws(LedgerError) -> Never { try stored.failDamaged() }

  mutating func takeState(of unit: UnitNumber) throws(LedgerError) -> StoredState? {
    if let held = heldStates.removeValue(forKey: unit) {
      heldByteCount -= held.byteCount
      taken[unit] = nil
      return held.state
    }
    if let (state, rest) = kept.take(unit) {
      formerRows[unit] = FormerRows(rest)
      taken[unit] = rest
      return state
    }
    taken[unit] = nil
    let row = try readRow(of: unit)
    formerRows[unit] = FormerRows(row)
    return row.map { StoredState(foldedThrough: $0.foldedThrough, unit: $0.unit) }
  }

  mutating func facts(
    of unit: UnitNumber, absorbing others: [UnitNumber]
  ) throws(LedgerError) -> [Fact] {
    if others.isEmpty { return try stored.facts(of: unit, absorbing: others) }
    var positions: [UInt64] = []
    for member in [unit] + others { positions += try postings(of: member).positions }
    positions.sort()
    return try stored.log.facts(at: positions, .all, of: stored.texts.log)
  }

  mutating func part(_ units: [UnitNumber], into parts: [UnitNumber: [Fact]]) {}

  mutating func units(
    touching coupling: Coupling
  ) throws(LedgerError) -> [(unit: UnitNumber, writes: Bool)] {
    try stored.units(touching: coupling)
  }

  mutating func coupledUnits() throws(LedgerError) -> [UnitNumber] { try stored.coupledUnits() }

  func checkTexts() throws(LedgerError) { try stored.checkTexts() }

  mutating func units(
    concernedBy change: ContextChange, besides isFolded: (UnitNumber) -> Bool
  ) throws(LedgerError) -> [UnitNumber] {
    var concerned: [UnitNumber] = []
    var cursor = try RowCursor(tables.units, stored.view)
    while try cursor.next() {
      guard let unit = cursor.key.unit(at: 0) else { throw tables.units.damaged }
      guard !isFolded(unit), UnitRow.mayBeConcerned(cursor.content, by: change) else { continue }
      let known = kept.row(of: unit)
      let row = if let known { known } else { try decode(cursor.content, of: unit) }
      if row.unit?.rests(on: change) ?? true {
        concerned.append(unit)
        hold(row, of: unit)
      } else if formerRows.count < Self.coupledRowsMax, !(row.unit?.couplings.isEmpty ?? true) {
        // A coupling can still join it with a unit that is concerned.
        formerRows[unit] = FormerRows(row)
      }
    }
    return concerned
  }

  /// Adds the rows of a unit to the pending ones, and commits them if there are many.
  mutating func write(
    _ write: UnitWrite, _ state: Unit, _ context: SharedContext
  ) throws(LedgerError) {
    if write.isRegrouped {
      var waiting = exchange(&lastRows, with: PendingRows())
      try put(state, write, context, &waiting)
      lastRows = waiting
    } else {
      var waiting = exchange(&rows, with: PendingRows())
      try put(state, write, context, &waiting)
      rows = waiting
      try writeRowsIfFull()
    }
  }
}
