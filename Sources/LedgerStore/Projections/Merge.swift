internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// One step of the projections along the log: a stretch of events, folded into the units they
/// belong to, and indexed.
///
/// Rows of units are written ahead in commits of a bounded size; the map of units, the indexes and
/// the checkpoint follow in the last one. A merge that is cut short is done again from the same
/// checkpoint and comes to the same rows.
struct Merge {
  let tables: ProjectionTables
  let environment: Environment
  let texts: LogTexts
  let context: SharedContext
  let change: ContextChange
  let batch: FactBatch
  let checkpoint: Checkpoint
  var map: UnitMap
  var groups: FactGroups
  let pace: MergePace
  var rows = PendingRows()
  /// Units that share state of the absent device with others: written last, when it is known which
  /// of them are one.
  var coupled: [UInt32: Unit] = [:]
  /// Units that are written and share nothing any more, whatever their rows of before say.
  var uncoupled: Set<UInt32> = []
  /// Postings to add beside those of the batch's own events: of units that were taken in.
  var movedPostings: [RunEntry] = []

  /// Folds every unit that the batch or the context's change touches.
  mutating func foldUnits(_ log: LogView, _ view: TransactionView) throws(LedgerError) {
    var touched = Set<UInt32>()
    let units = groups.units
    try removeErased(units, view)
    for unit in units {
      touched.insert(unit)
      try settle(unit, refolds: false, log, view)
    }
    if !change.isEmpty {
      for unit in try unitsConcerned(by: change, view)
      where !touched.contains(unit) && !groups.isAbsorbed(unit) {
        try settle(unit, refolds: false, log, view)
      }
    }
    try couple(log, view)
  }

  /// Folds one unit and hands its rows on, or keeps it where it is coupled with others.
  private mutating func settle(
    _ unit: UInt32, refolds: Bool, _ log: LogView, _ view: TransactionView
  ) throws(LedgerError) {
    let state = try fold(unit, refolds: refolds, log, view)
    if state.couplings.isEmpty {
      uncoupled.insert(unit)
      try write(unit, state, view)
    } else {
      coupled[unit] = state
    }
  }

  /// The unit's state with everything that it has up to the end of the batch.
  private mutating func fold(
    _ unit: UInt32, refolds: Bool, _ log: LogView, _ view: TransactionView
  ) throws(LedgerError) -> Unit {
    let fresh = groups.facts(of: unit, in: batch.facts)
    if !refolds && groups.absorbed[unit] == nil {
      guard let row = try UnitRow(unit, view, tables) else { return try fold(fresh) }
      if var state = row.unit, change.isEmpty || !state.isAffected(by: change) {
        let new = fresh.filter { $0.position > row.foldedThrough }
        if new.isEmpty { return state }
        let advances = state.advance(
          new.inFoldOrder(texts), context: context, texts: texts)
        try texts.check()
        if advances { return state }
      }
    }
    return try fold(gather(unit, log, view) + fresh)
  }

  private func fold(_ facts: [Fact]) throws(LedgerError) -> Unit {
    let unit = Unit.fold(facts, context: context, texts: texts)
    try texts.check()
    return unit
  }

  /// The facts of a unit, and of those it took in, that stand before the batch.
  private mutating func gather(
    _ unit: UInt32, _ log: LogView, _ view: TransactionView
  ) throws(LedgerError) -> [Fact] {
    let first = batch.firstPosition
    var positions: [UInt64] = []
    for member in groups.members(of: unit) {
      let own = try tables.positions(of: member, in: view).filter { $0 < first }
      if member != unit {
        movedPostings += own.map {
          RunEntry(key: IndexKey.posting(unit: unit, position: $0))
        }
      }
      positions += own
    }
    return try log.facts(at: positions)
  }

  /// Removes the answers of those whom the batch erases, before the same names may be answered for
  /// anew.
  private mutating func removeErased(
    _ units: [UInt32], _ view: TransactionView
  ) throws(LedgerError) {
    let erasures = Set(batch.facts.filter { $0.kind == .accountErased }.map(\.position))
    if erasures.isEmpty { return }
    for unit in units {
      let facts = groups.facts(of: unit, in: batch.facts)
      guard facts.contains(where: { erasures.contains($0.position) }) else { continue }
      for member in groups.members(of: unit) {
        guard let old = try UnitRow(member, view, tables)?.unit else { continue }
        for account in old.answeredAccounts {
          guard let key = try texts.answerKey(of: account, erasedAt: erasures) else { continue }
          rows.delete(tables.answers, key)
        }
      }
    }
  }

  /// Puts the rows of a unit behind those that wait, and writes them when they are many.
  private mutating func write(
    _ unit: UInt32, _ state: Unit, _ view: TransactionView
  ) throws(LedgerError) {
    for member in groups.members(of: unit) {
      if let old = try UnitRow(member, view, tables)?.unit { remove(old, member) }
    }
    for use in state.couplings {
      let key = use.coupling.keyPrefix + unit.bigEndianBytes
      rows.put(tables.couplings, key, [use.writes ? 1 : 0])
    }
    for (key, value) in state.observations(of: unit) { rows.put(tables.observed, key, value) }
    let answers = try AnswerRow.all(of: state, called: unit, context, texts)
    for (account, answer) in answers {
      // A name that was erased is found by nobody, or is somebody else's.
      guard let key = try texts.answerKey(of: account) else { continue }
      rows.put(tables.answers, key, answer.encoded)
    }
    let report = UnitReport(of: state, answers, context, texts)
    try texts.check()
    rows.put(
      tables.units, unit.bigEndianBytes,
      UnitRow.encode(state, foldedThrough: checkpoint.position, report: report))
    guard rows.isFull(pace) else { return }
    try pace.beforeCommit()
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      try rows.write(&transaction)
      try transaction.commit()
    } catch { throw LedgerError(error) }
  }

  /// Takes away what a unit's former state said elsewhere.
  private mutating func remove(_ old: Unit, _ unit: UInt32) {
    for use in old.couplings {
      rows.delete(tables.couplings, use.coupling.keyPrefix + unit.bigEndianBytes)
    }
    for (key, _) in old.observations(of: unit) { rows.delete(tables.observed, key) }
  }

  /// Writes what is left, the map, and removes the rows of units that are no more.
  mutating func finish(_ transaction: inout WriteTransaction) throws(LMDBError) {
    for unit in groups.absorbed.values.joined() { rows.delete(tables.units, unit.bigEndianBytes) }
    try rows.write(&transaction)
    try map.save(tables.unitMap, &transaction)
  }

  /// Units, among those stored, whose state rests on something that changed.
  private func unitsConcerned(
    by change: ContextChange, _ view: TransactionView
  ) throws(LedgerError) -> [UInt32] {
    var concerned: [UInt32] = []
    do throws(LMDBError) {
      var cursor = try view.cursor(tables.units)
      var found = try cursor.first()
      while found {
        let unit = cursor.key.bigEndianHalf(at: 0)
        if UnitRow.mayBeConcerned(cursor.value, by: change) {
          let state = UnitRow(cursor.value).unit
          if state?.rests(on: change) ?? true { concerned.append(unit) }
        }
        found = try cursor.next()
      }
    } catch { throw LedgerError(error) }
    return concerned
  }
}

// MARK: - Couplings

extension Merge {
  /// Joins coupled units until none that writes shared state is apart from one that touches it.
  private mutating func couple(_ log: LogView, _ view: TransactionView) throws(LedgerError) {
    while let (first, second) = try nextCoupling(view) {
      let into = groups.join(first, second, &map)
      coupled[first] = nil
      coupled[second] = nil
      coupled[into] = try fold(into, refolds: true, log, view)
    }
    for (unit, state) in coupled.sorted(by: { $0.key < $1.key }) {
      try write(unit, state, view)
    }
  }

  /// Two units that have to be one.
  private func nextCoupling(_ view: TransactionView) throws(LedgerError) -> (UInt32, UInt32)? {
    var seen: [Coupling: (unit: UInt32, writes: Bool)] = [:]
    for (unit, state) in coupled.sorted(by: { $0.key < $1.key }) {
      for use in state.couplings {
        if let other = seen[use.coupling], other.unit != unit {
          if other.writes || use.writes { return (other.unit, unit) }
        } else {
          seen[use.coupling] = (unit, use.writes || (seen[use.coupling]?.writes ?? false))
        }
        for other in try tables.units(touching: use.coupling, in: view) {
          if coupled[other.unit] != nil || uncoupled.contains(other.unit)
            || groups.isAbsorbed(other.unit)
          {
            continue
          }
          if other.unit != unit && (other.writes || use.writes) { return (unit, other.unit) }
        }
      }
    }
    return nil
  }
}

extension Unit {
  /// Whether the unit's state, or what it answers, rests on what changed.
  func rests(on change: ContextChange) -> Bool {
    isAffected(by: change) || change.products.contains { concernsAnswer(of: $0.product) }
  }

  /// Rows that say which products the unit has observed versions or digests of.
  func observations(of unit: UInt32) -> [(key: [UInt8], value: [UInt8])] {
    observedProducts.map { ($0.keyPrefix + unit.bigEndianBytes, []) }
  }
}
