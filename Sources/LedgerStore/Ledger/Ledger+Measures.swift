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
    let texts = LogTexts(log)
    return try log.read { (view) throws(LedgerError) in
      guard view.lastPosition > 0 else { return 0 }
      let batch = try FactBatch(
        1...view.lastPosition, view, log.identity.keyHash, indexesIDs: false)
      let findings = InMemoryLedger(folding: batch.facts, texts: texts).findings.count
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
