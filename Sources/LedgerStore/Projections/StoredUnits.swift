internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The parents of the union-find in one generation of projections.
struct StoredParents: UnionFind, ~Escapable {
  let map: UnitMap
  let table: RowTable
  let view: TransactionView

  @_lifetime(copy view)
  init(_ map: UnitMap, _ table: RowTable, _ view: TransactionView) {
    self.map = map
    self.table = table
    self.view = view
  }

  mutating func parent(of name: NameNumber) throws(LedgerError) -> NameNumber? {
    try map.parent(of: name, table, view)
  }

  func commonUnit(of names: UnitNodes) -> UnitNumber? { map.commonUnit(of: names) }

  mutating func setParent(_ parent: NameNumber, of name: NameNumber) throws(LedgerError) {
    try map.setParent(parent, of: name, table, view)
  }

  func failDamaged() throws(LedgerError) -> Never {
    throw .damagedProjections("The map of units of the projections is damaged")
  }
}

/// The units in the projections, up to a position of the log.
struct StoredUnits: ~Escapable {
  let log: LogView
  let view: TransactionView
  let tables: ProjectionTables
  let texts: LogTexts
  /// The last position of the index of units.
  let position: UInt64
  /// Which facts of units are read.
  let selection: FactSelection
  private(set) var parents: StoredParents

  @_lifetime(copy log, copy view)
  init(
    through position: UInt64, _ selection: FactSelection, _ map: UnitMap, _ log: LogView,
    _ texts: LogTexts, _ tables: ProjectionTables, _ view: TransactionView
  ) {
    self.position = position
    self.selection = selection
    self.log = log
    self.texts = texts
    self.tables = tables
    self.view = view
    parents = StoredParents(map, tables.unitMap, view)
  }

  /// The whole index of a unit. It was written together with the checkpoint, so no position in it
  /// is greater than a `position` that is the checkpoint's.
  func postings(of unit: UnitNumber) throws(LedgerError) -> UnitPostings {
    let found = try tables.postings(of: unit, in: view)
    assert(found.positions.last ?? 0 <= position, "unit \(unit) is ahead of \(position)")
    return found
  }

  /// The positions of a unit's stored facts up to the selection's end, ascending.
  func positions(of unit: UnitNumber) throws(LedgerError) -> [UInt64] {
    try tables.positions(of: unit, in: view).filter { $0 <= min(position, selection.end) }
  }
}

extension StoredUnits: UnitStorage {
  mutating func parent(of name: NameNumber) throws(LedgerError) -> NameNumber? {
    try parents.parent(of: name)
  }

  func commonUnit(of names: UnitNodes) -> UnitNumber? { parents.commonUnit(of: names) }

  mutating func setParent(_ parent: NameNumber, of name: NameNumber) throws(LedgerError) {
    try parents.setParent(parent, of: name)
  }

  func failDamaged() throws(LedgerError) -> Never { try parents.failDamaged() }

  mutating func takeState(of unit: UnitNumber) throws(LedgerError) -> StoredState? {
    guard let row = try UnitRow(unit, view, tables) else { return nil }
    return StoredState(foldedThrough: row.foldedThrough, unit: row.unit)
  }

  mutating func facts(
    of unit: UnitNumber, absorbing others: [UnitNumber]
  ) throws(LedgerError) -> [Fact] {
    var positions = try positions(of: unit)
    for other in others { positions += try self.positions(of: other) }
    if !others.isEmpty { positions.sort() }
    return try log.facts(at: positions, selection, of: texts.log)
  }

  /// The unit set itself keeps the parts, which replace what is stored.
  mutating func part(_ units: [UnitNumber], into parts: [UnitNumber: [Fact]]) {}

  mutating func units(
    touching coupling: Coupling
  ) throws(LedgerError) -> [(unit: UnitNumber, writes: Bool)] {
    try tables.units(touching: coupling, in: view)
  }

  mutating func coupledUnits() throws(LedgerError) -> [UnitNumber] {
    try tables.coupledUnits(in: view).sorted()
  }

  func checkTexts() throws(LedgerError) { try texts.check() }
}
