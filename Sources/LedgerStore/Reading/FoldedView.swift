internal import LMDB
package import LedgerEvents
package import LedgerModel

/// What the projections say at their own position, without the events that are not folded yet.
///
/// It folds nothing, so that a look costs what it looks at, however large the customers are. Use
/// ``LedgerView`` for questions, whose answers have to include every event.
package struct FoldedView: ~Escapable {
  /// The log, which may have later events.
  package let log: LogView
  /// The generation of the projections. Another one may have been folded by other rules.
  package let generation: UInt64
  /// The texts of names.
  package let texts: LogTexts
  private let checkpoint: Checkpoint
  private let reading: TransactionView
  private let tables: ProjectionTables
  private let map: UnitMap

  /// Everything up to this position is folded.
  package var position: UInt64 { checkpoint.position }
  /// The root of the log's tree at ``position``, 32 bytes.
  package var root: [UInt8] { checkpoint.root }

  @_lifetime(copy log, copy reading)
  fileprivate init(
    _ log: LogView, _ reading: TransactionView, _ projections: Projections,
    _ checkpoint: Checkpoint, _ texts: LogTexts
  ) {
    self.log = log
    self.reading = reading
    self.texts = texts
    self.checkpoint = checkpoint
    generation = projections.generation
    tables = projections.tables
    map = UnitMap(through: checkpoint.name)
  }
}

extension Ledger {
  /// Calls `body` with what the projections say now; returns `nil` if the log does not confirm
  /// them, because it was restored from a backup and they have not been folded again.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if the projections are missing, damaged, or folded
  ///   by other rules; and what `body` throws.
  package func readFolded<Value>(
    _ body: (FoldedView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value? {
    guard let projections = try source.live() else { throw .projectionsMissing }
    // The projections' snapshot comes first, so that the log's contains everything up to their
    // checkpoint.
    let reading = try projections.beginRead()
    let snapshot = try log.snapshot()
    let view = try snapshot.view
    guard let start = try projections.start(reading.view, confirmedBy: view, log.identity) else {
      return nil
    }
    let texts = LogTexts(log)
    let value = try body(FoldedView(view, reading.view, projections, start, texts))
    try texts.check()
    return value
  }
}

// MARK: - Units

extension FoldedView {
  /// The fact at a position.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  package func fact(at position: UInt64) throws(LedgerError) -> Fact { try log.fact(at: position) }

  /// The unit of a name; `nil` if no folded event names it in a way that connects.
  package func unit(of number: NameNumber) throws(LedgerError) -> UnitNumber? {
    // Names that are newer than the projections have no parents there.
    guard number > 0, number <= checkpoint.name else { return nil }
    var parents = StoredParents(map, tables.unitMap, reading)
    return try parents.findUnit(of: number)
  }

  /// The accounts and the findings of a unit; `nil` if there is no such unit.
  ///
  /// - Complexity: O(*n*) in its accounts and findings if it is divided, otherwise in its state.
  package func roster(of unit: UnitNumber) throws(LedgerError) -> UnitRoster? {
    try UnitRow.roster(of: unit, reading, tables)
  }

  /// A unit's state; `nil` if there is no such unit.
  ///
  /// - Complexity: O(*n*) in its state.
  package func state(of unit: UnitNumber) throws(LedgerError) -> Unit? {
    try UnitRow(unit, reading, tables)?.unit
  }

  /// The first units with a number of at least `first`, in the order of their numbers.
  ///
  /// - Complexity: O(*k*) in their number.
  package func units(
    from first: UnitNumber, atMost count: Int
  ) throws(LedgerError) -> [UnitNumber] {
    var units: [UnitNumber] = []
    var cursor = try RowCursor(tables.units, reading)
    let key = bigEndianKey(first)
    var found = try cursor.seek(key.span)
    while found, units.count < count {
      guard let unit = cursor.key.unit(at: 0) else { throw tables.units.damaged }
      units.append(unit)
      found = try cursor.next()
    }
    return units
  }
}

// MARK: - Answers

/// What the projections say about an account.
package enum FoldedAnswer: Hashable, Sendable {
  /// What it has at the moment asked for, and when that next changes by time alone.
  case entries([StoredEntry], nextChange: Int64?)
  /// The account was erased.
  case erased
}

extension FoldedView {
  /// What an account has in every environment at a moment, or at its newest event in an environment
  /// if that is later.
  ///
  /// - Complexity: One lookup, and O(*n*) in the products that the account has.
  /// - Throws: ``LedgerError``: `rebuildNeeded` if the row is damaged.
  package func answer(
    of account: NameNumber, at moment: Int64
  ) throws(LedgerError) -> FoldedAnswer {
    guard let key = try texts.answerKey(of: account) else { return .erased }
    guard let row = try tables.answers.row(key.span, reading) else {
      return .entries([], nextChange: nil)
    }
    let answer = try StoredAnswer(row)
    var all: [StoredEntry] = []
    var next: Int64?
    for environment in StoreEnvironment.allCases {
      let newest = try answer.newestEvent(in: EnvironmentSet(environment)) ?? .min
      let (entries, change) = try answer.entries(in: environment, at: max(moment, newest))
      all += entries
      if let change { next = min(next ?? .max, change) }
    }
    return .entries(all, nextChange: next)
  }
}
