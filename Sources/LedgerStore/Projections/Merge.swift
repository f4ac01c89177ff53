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
  private var stored: StoredUnits
  private let environment: Environment
  let checkpoint: Checkpoint
  private let pace: MergePace
  private var rows = PendingRows()
  /// Rows for the last commit only: those of units that couplings joined or that were parted. Until
  /// then, a reader or a repeated merge may have more events and find different units.
  private var lastRows = PendingRows()
  /// The index of units that were joined or parted, as it is stored.
  private var postings: [UnitNumber: UnitPostings] = [:]
  /// The rows in other tables of units whose states were read, until the units are written. Nearly
  /// every unit is written as soon as it was read.
  private var formerRows: [UnitNumber: FormerRows] = [:]
  /// States that were read to see what concerns them. The fold takes them from here, so that no row
  /// is decoded twice.
  private var heldStates: [UnitNumber: (state: StoredState, byteCount: Int)] = [:]
  /// The bytes of the rows that the held states were read from.
  private var heldByteCount = 0

  /// The maximum number of units that only couplings could still make part of the fold, and whose
  /// rows in other tables are remembered.
  private static let coupledRowsMax = 100_000

  /// The rows of other tables that follow from a unit's stored state.
  private struct FormerRows {
    var couplings: [CouplingUse] = []
    var observed: [Unit.ObservedProduct] = []

    init(_ state: Unit?) {
      guard let state else { return }
      couplings = state.couplings
      observed = state.observedProducts
    }
  }

  /// - Parameter checkpoint: The checkpoint at which the merge ends.
  @_lifetime(copy stored)
  init(
    into stored: consuming StoredUnits, of environment: Environment, through checkpoint: Checkpoint,
    _ pace: MergePace
  ) {
    self.stored = stored
    self.environment = environment
    self.checkpoint = checkpoint
    self.pace = pace
  }

  private var tables: ProjectionTables { stored.tables }
  private var texts: LogTexts { stored.texts }

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
        let key = bigEndianKey(member)
        guard let bytes = try tables.units.row(key.span, stored.view) else { continue }
        let row = decode(bytes, of: member)
        if units.units(absorbedBy: unit).isEmpty {
          hold(row, of: member, byteCount: bytes.count)
        } else {
          // The state of a unit that absorbed others is not continued.
          formerRows[member] = FormerRows(row.unit)
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
      var transaction = try environment.beginWrite()
      try rows.write(&transaction)
      try transaction.commit()
    } catch { throw LedgerError(ofProjections: error) }
  }

  /// Removes the rows in other tables that follow from a unit's former state.
  private mutating func remove(_ unit: UnitNumber, _ rows: inout PendingRows) throws(LedgerError) {
    let former: FormerRows
    if let known = formerRows.removeValue(forKey: unit) {
      former = known
    } else {
      former = FormerRows(try readRow(of: unit)?.unit)
    }
    for use in former.couplings {
      rows.delete(tables.couplings, use.coupling.keyPrefix + unit.bigEndianBytes)
    }
    for product in former.observed {
      rows.delete(tables.observed, product.keyPrefix + unit.bigEndianBytes)
    }
  }

  /// The stored row of a unit; `nil` if there is none.
  private func readRow(of unit: UnitNumber) throws(LedgerError) -> UnitRow? {
    let key = bigEndianKey(unit)
    guard let bytes = try tables.units.row(key.span, stored.view) else { return nil }
    return decode(bytes, of: unit)
  }

  private func decode(_ bytes: Span<UInt8>, of unit: UnitNumber) -> UnitRow {
    pace.didDecode(unit)
    return UnitRow(bytes)
  }

  /// Holds a state that was read before it is folded, if there is room.
  private mutating func hold(_ row: UnitRow, of unit: UnitNumber, byteCount: Int) {
    guard heldByteCount + byteCount <= pace.heldByteCountMax, heldStates[unit] == nil else {
      return
    }
    formerRows[unit] = FormerRows(row.unit)
    heldStates[unit] = (
      StoredState(foldedThrough: row.foldedThrough, unit: row.unit), byteCount
    )
    heldByteCount += byteCount
  }

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
      return held.state
    }
    let row = try readRow(of: unit)
    formerRows[unit] = FormerRows(row?.unit)
    return row.map { StoredState(foldedThrough: $0.foldedThrough, unit: $0.unit) }
  }

  mutating func facts(
    of unit: UnitNumber, absorbing others: [UnitNumber]
  ) throws(LedgerError) -> [Fact] {
    if others.isEmpty { return try stored.facts(of: unit, absorbing: others) }
    var positions: [UInt64] = []
    for member in [unit] + others { positions += try postings(of: member).positions }
    positions.sort()
    return try stored.log.facts(at: positions)
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
      let row = decode(cursor.content, of: unit)
      if row.unit?.rests(on: change) ?? true {
        concerned.append(unit)
        hold(row, of: unit, byteCount: cursor.content.count)
      } else if formerRows.count < Self.coupledRowsMax {
        // A coupling can still join it with a unit that is concerned.
        let former = FormerRows(row.unit)
        if !former.couplings.isEmpty { formerRows[unit] = former }
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

  private mutating func put(
    _ state: Unit, _ write: UnitWrite, _ context: SharedContext, _ rows: inout PendingRows
  ) throws(LedgerError) {
    let unit = write.unit
    try remove(unit, &rows)
    for other in write.absorbed { try remove(other, &rows) }
    for use in state.couplings {
      let key = use.coupling.keyPrefix + unit.bigEndianBytes
      rows.put(tables.couplings, key, [use.writes ? 1 : 0])
    }
    for product in state.observedProducts {
      rows.put(tables.observed, product.keyPrefix + unit.bigEndianBytes, [])
    }
    let answers = try AnswerRow.all(of: state, called: unit, context, texts)
    for (account, answer) in answers {
      // An erased name cannot be found any more, or is somebody else's.
      guard let key = try texts.answerKey(of: account) else { continue }
      rows.put(tables.answers, key, answer.encoded)
    }
    let report = UnitReport(of: state, answers, context, texts)
    try texts.check()
    rows.put(
      tables.units, unit.bigEndianBytes,
      UnitRow.encode(state, foldedThrough: checkpoint.position, report: report))
  }
}

extension Unit {
  /// Whether the unit's state or its answers depend on what changed.
  fileprivate func rests(on change: ContextChange) -> Bool {
    isAffected(by: change) || change.products.contains { concernsAnswer(of: $0.product) }
  }
}
