internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

// For the benchmarks, which are a package of their own. No other program sees these.
extension Ledger {
  /// The bytes of the pages that the log and the projections use.
  ///
  /// - Complexity: O(1).
  @_spi(Benchmarks)
  public func usedBytes() throws(LedgerError) -> Int {
    let projected = try source.live()?.usedBytes() ?? 0
    return try log.statistics().tables.reduce(projected) { $0 + $1.byteCount }
  }

  /// Folds every unit of the log in memory, with state and findings, stores nothing, and returns
  /// the number of findings. This measures what a rebuild costs without indexes and disks.
  ///
  /// - Complexity: O(*n*) in the events of the log, all of which are in memory during the fold.
  @_spi(Benchmarks)
  public func foldInMemory() throws(LedgerError) -> Int {
    let texts = LogTexts(log)
    return try log.read { (view) throws(LedgerError) in
      guard view.lastPosition > 0 else { return 0 }
      let batch = try FactBatch(
        1...view.lastPosition, view, log.identity.keyHash, indexesIDs: false)
      var units = UnitSet(context: SharedContext(), texts: texts)
      var counted = CountedUnits(texts: texts)
      try units.append(batch.facts, in: &counted)
      try units.foldAll(into: &counted)
      return counted.findingCount
    }
  }
}

/// Counts the findings of units and does not keep the units, as a rebuild keeps no state in memory
/// once it is written.
private struct CountedUnits: UnitWriter {
  typealias Failure = LedgerError

  let texts: LogTexts
  private(set) var findingCount = 0
  private var parents = UnitParents()

  init(texts: LogTexts) { self.texts = texts }

  func parent(of name: NameNumber) -> NameNumber? { parents.knownParent(of: name) }

  func commonUnit(of names: UnitNodes) -> UnitNumber? { parents.commonUnit(of: names) }

  mutating func setParent(_ parent: NameNumber, of name: NameNumber) {
    parents.addParent(parent, of: name)
  }

  func failDamaged() throws(LedgerError) -> Never {
    throw LedgerError(.corrupt, "The names of a unit lead to no unit.")
  }

  // Nothing was stored before.
  func takeState(of unit: UnitNumber) -> StoredState? { nil }
  func facts(of unit: UnitNumber, absorbing others: [UnitNumber]) -> [Fact] { [] }
  func units(touching coupling: Coupling) -> [(unit: UnitNumber, writes: Bool)] { [] }
  func coupledUnits() -> [UnitNumber] { [] }
  func units(
    concernedBy change: ContextChange, besides isFolded: (UnitNumber) -> Bool
  ) -> [UnitNumber] { [] }
  func part(_ units: [UnitNumber], into parts: [UnitNumber: [Fact]]) {}

  func checkTexts() throws(LedgerError) { try texts.check() }

  mutating func write(_ write: UnitWrite, _ state: Unit, _ context: SharedContext) {
    findingCount += state.findings.count
  }
}

extension Projections {
  /// The bytes of the pages that the tables use.
  func usedBytes() throws(LedgerError) -> Int {
    let reading = try beginRead()
    var bytes = 0
    do throws(LMDBError) {
      for table in tables.all { bytes += try reading.view.statistics(table).byteCount }
    } catch { throw LedgerError(error) }
    return bytes
  }
}

extension ProjectionTables {
  /// Every table, for statistics.
  var all: [Table] {
    [
      meta, units.table, unitMap.table, answers.table, couplings.table, observed.table,
      recorded.table, ids.table, names.table, postings.table,
    ]
  }
}
