internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

extension Ledger {
  /// The bytes of the pages that the log and the projections use.
  ///
  /// - Complexity: O(1).
  public func usedBytes() throws(LedgerError) -> Int {
    let projected = try source.live()?.usedBytes() ?? 0
    return try log.statistics().tables.reduce(projected) { $0 + $1.byteCount }
  }

  /// Folds every unit of the log in memory, with state and findings, stores nothing, and returns
  /// the number of findings. This measures what a rebuild costs without indexes and disks.
  ///
  /// - Complexity: O(*n*) in the events of the log, all of which are in memory during the fold.
  public func foldInMemory() throws(LedgerError) -> Int {
    guard let projections = try source.live() else { return 0 }
    let texts = LogTexts(log)
    let reading = try projections.beginRead()
    return try log.read { (view) throws(LedgerError) in
      guard view.lastPosition > 0 else { return 0 }
      let batch = try FactBatch(
        1...view.lastPosition, view, log.identity.keyHash, indexesIDs: false)
      var context = SharedContext()
      var change = ContextChange()
      var map = UnitMap()
      var groups = FactGroups()
      for (place, fact) in batch.facts.enumerated() {
        context.extend(with: fact, texts, &change)
        try groups.add(fact, at: place, &map, projections.tables.unitMap, reading.view)
      }
      var findings = 0
      for unit in groups.units {
        let facts = groups.facts(of: unit, in: batch.facts)
        findings += Unit.fold(facts, context: context, texts: texts).findings.count
      }
      try texts.check()
      return findings
    }
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
      meta, units, unitMap, answers, couplings, observed, recorded, ids.table, names.table,
      postings.table,
    ]
  }
}
