internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

/// Folds the log into a generation of projections, batch by batch.
///
/// Used by one thread at a time, and by one process at a time (the folder lock). What it caches
/// between batches is dropped if another process has folded meanwhile.
final class Projector {
  private struct Memory {
    var checkpoint: Checkpoint
    var map: UnitMap
    var context: SharedContext
    var kept = KeptUnits()
  }

  let log: EventLog
  let projections: Projections
  private let pace: MergePace
  private var memory: Memory?

  /// The maximum number of events in one batch. A larger batch shares the cost of a merge among
  /// more events, but its facts are in memory (about 150 bytes each).
  static let batchEventsMax: UInt64 = 1_000_000

  /// The maximum number of compaction slices after a batch, enough to keep up with what batches
  /// add.
  private static let compactionSlicesMax = 64

  init(log: EventLog, projections: Projections, pace: MergePace = MergePace()) {
    self.log = log
    self.projections = projections
    self.pace = pace
  }

  /// Folds the next events up to a position, if there are any.
  ///
  /// - Complexity: O(*k* log *n*) for *k* events in order; the cost of a late one depends on the
  ///   size of its unit.
  /// - Returns: The position that is folded now, and the last one to fold: the log's newest, or
  ///   `limit` if that is less.
  func step(
    through limit: UInt64 = .max
  ) throws(LedgerError) -> (position: UInt64, last: UInt64) {
    let snapshot = try log.snapshot()
    let view = try snapshot.view
    let texts = LogTexts(log)
    var memory = try recall(view, texts)
    let start = memory.checkpoint.position
    let last = min(view.lastPosition, limit)
    let end = min(last, start + Self.batchEventsMax)
    if end > start {
      self.memory = nil
      try fold(start + 1...end, &memory, view, texts)
    }
    self.memory = memory
    try compact()
    return (memory.checkpoint.position, last)
  }

  /// Folds everything up to a position, batch by batch.
  func fold(
    through limit: UInt64, _ progress: ((_ position: UInt64, _ last: UInt64) -> Void)?
  ) throws(LedgerError) {
    while true {
      let (position, last) = try step(through: limit)
      progress?(position, last)
      if position >= last { return }
    }
  }

  private func fold(
    _ positions: ClosedRange<UInt64>, _ memory: inout Memory, _ view: LogView, _ texts: LogTexts
  ) throws(LedgerError) {
    let tables = projections.tables
    let batch = try FactBatch(positions, of: log, in: view, indexesIDs: true)
    let names = try nameEntries(memory.checkpoint.name, batch.lastName, view)
    let root = try view.root(at: positions.upperBound).bytes
    let reading = try projections.beginRead()
    var checkpoint = memory.checkpoint
    checkpoint.position = positions.upperBound
    checkpoint.name = max(checkpoint.name, batch.lastName)
    checkpoint.root = root
    let stored = StoredUnits(
      through: memory.checkpoint.position, .all, memory.map, view, texts, tables,
      reading.view)
    // With two owners, what is kept and the context would be copied.
    var merge = Merge(
      into: stored, of: projections, log, through: checkpoint,
      keeping: exchange(&memory.kept, with: KeptUnits()), pace)
    var units = UnitSet(context: exchange(&memory.context, with: SharedContext()), texts: texts)
    // Only divided units are kept until the next batch.
    units.journalRowsMin = pace.layout.undividedRowsMax
    try units.append(batch.facts, in: &merge)
    merge.kept.forgetMarks(restingOn: units.change)
    try merge.removeErased(by: units)
    let isFolded = Result { () throws(LedgerError) in try units.foldAll(into: &merge) }
    merge.endAhead()
    try isFolded.get()
    try finish(
      &merge, units, batch, names: names, knownName: memory.checkpoint.name,
      recorded: try RecordedTimes().rows(of: batch, in: view))
    memory.context = units.context
    memory.checkpoint = checkpoint
    memory.kept = merge.kept
  }

  /// Brings the reports of large units up to date that this projector has folded.
  ///
  /// - Complexity: O(*n*) in what those units keep.
  func writeReports() throws(LedgerError) {
    guard var memory else { return }
    let reading = try projections.beginRead()
    let snapshot = try log.snapshot()
    // Another process may have folded further, and then has reports of its own.
    let found = try projections.start(reading.view, confirmedBy: try snapshot.view, log.identity)
    guard found == memory.checkpoint else { return }
    let texts = LogTexts(log)
    var rows = PendingRows()
    self.memory = nil
    memory.kept.reportBehind { unit, state in
      rows.put(
        projections.tables.reports, unit.bigEndianBytes,
        KeptReport.encode(
          UnitReport(of: state, memory.context, texts), factCount: state.factCount))
    }
    try texts.check()
    if !rows.isEmpty {
      try pace.beforeCommit()
      var transaction = try projections.beginWrite()
      do throws(LMDBError) {
        try rows.write(&transaction)
        try transaction.commit()
      } catch { throw LedgerError(ofProjections: error) }
    }
    self.memory = memory
  }
}

// MARK: - What is remembered

extension Projector {
  /// Returns the memory of the last step, or else what the projections contain.
  private func recall(_ view: LogView, _ texts: LogTexts) throws(LedgerError) -> Memory {
    let reading = try projections.beginRead()
    let found = try projections.start(reading.view, confirmedBy: view, log.identity)
    guard let found else { throw Checkpoint.unconfirmed }
    if let memory, memory.checkpoint == found { return memory }
    let context = try projections.tables.context(
      through: found.position, view, reading.view, texts)
    return Memory(checkpoint: found, map: UnitMap(through: found.name), context: context)
  }

  private func nameEntries(
    _ known: NameNumber, _ last: NameNumber, _ view: LogView
  ) throws(LedgerError) -> [RunEntry] {
    guard last > known else { return [] }
    var entries: [RunEntry] = []
    entries.reserveCapacity(Int(last - known))
    for number in known + 1...last {
      let hash = try view.nameHash(number, log.identity.keyHash)
      entries.append(RunEntry(key: IndexKey.of(hash), value: number))
    }
    return entries
  }
}

// MARK: - The last commit of a batch

extension Projector {
  private func finish(
    _ merge: inout Merge, _ units: UnitSet, _ batch: FactBatch, names: [RunEntry],
    knownName: NameNumber, recorded: [RecordedTimes.Row]
  ) throws(LedgerError) {
    let tables = projections.tables
    let postings = postings(of: units, batch, try merge.movedPostings(units))
    let ids = batch.sortedIDs()
    let names = names.sortedForRun()
    try pace.beforeCommit()
    var transaction = try projections.beginWrite()
    do throws(RunsError) {
      try tables.postings.add(postings, in: &transaction)
      try tables.ids.add(ids, in: &transaction)
      try tables.names.add(names, in: &transaction)
    } catch { throw LedgerError(error) }
    // This precedes the commit: the runs must not contain a key that the filters lack.
    projections.absentIDs.insert(
      ids, before: batch.firstPosition - 1, reach: merge.checkpoint.position)
    projections.absentNames.insert(
      names, before: UInt64(knownName), reach: UInt64(merge.checkpoint.name))
    try RecordedTimes().write(recorded, tables.recorded, &transaction)
    do throws(LMDBError) {
      try merge.finish(units, &transaction)
      try merge.checkpoint.write(&transaction, tables)
      try transaction.commit()
    } catch { throw LedgerError(ofProjections: error) }
  }

  /// The postings of a batch's events for their units and for the shared context, and those that
  /// absorbed units brought along, sorted for a run.
  ///
  /// - Complexity: O(*n* log *n*) in the number of events, and little more than O(*n*) if no unit
  ///   absorbed another.
  private func postings(
    of units: UnitSet, _ batch: FactBatch, _ moved: [RunEntry]
  ) -> [RunEntry] {
    var postings = moved
    postings.reserveCapacity(moved.count + units.facts.count + units.contextIndices.count)
    func add(_ unit: UnitNumber, _ indices: [UInt32]) {
      for index in indices {
        // A batch has a fact at each of its positions.
        let position = batch.firstPosition + UInt64(index)
        assert(units.facts[Int(index)].position == position)
        postings.append(RunEntry(key: IndexKey.posting(unit: unit, position: position)))
      }
    }
    for (unit, indices) in units.factIndices.sorted(by: { $0.key < $1.key }) {
      add(unit, indices)
    }
    add(IndexKey.contextUnit, units.contextIndices)
    let isSorted = zip(postings, postings.dropFirst()).allSatisfy { $0.key <= $1.key }
    if !isSorted { postings.sortForRun() }
    return postings
  }

  /// Merges runs, in slices that keep no reader's pages for long.
  private func compact() throws(LedgerError) {
    let tables = projections.tables
    for family in [tables.ids, tables.names, tables.postings] {
      for _ in 0..<Self.compactionSlicesMax {
        guard try needsCompaction(family) else { break }
        var transaction = try projections.beginWrite()
        do throws(RunsError) { _ = try family.compact(in: &transaction) } catch {
          throw LedgerError(error)
        }
        do throws(LMDBError) { try transaction.commit() } catch {
          throw LedgerError(ofProjections: error)
        }
      }
    }
  }

  private func needsCompaction(_ family: SortedRuns) throws(LedgerError) -> Bool {
    let reading = try projections.beginRead()
    do throws(RunsError) { return try family.needsCompaction(in: reading.view) } catch {
      throw LedgerError(error)
    }
  }
}
