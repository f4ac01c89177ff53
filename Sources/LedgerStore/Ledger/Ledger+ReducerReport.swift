internal import LMDB
public import LedgerEvents
internal import LedgerModel

extension Ledger {
  /// Folds the log anew beside the live projections with this program's reducer and says for whom
  /// it comes to something else than the one that folded them: entitlements, balances, installed
  /// versions, and findings by rule. The gate before an upgrade goes live: nothing is switched.
  ///
  /// Stored answers are compared, and no stored state is read, so the live projections may be of
  /// a reducer whose state this program cannot read. Findings that are judged over all customers
  /// (`version-not-increased`, `digest-mismatch`) are made when they are asked for, and so not
  /// compared.
  ///
  /// - Parameters:
  ///   - now: When it is judged what is entitled, or at a customer's newest event where that is
  ///     later; what differs only after that is told, too.
  ///   - progress: Told the position reached and the last one, after each batch.
  ///   - body: Told of each customer for whom something differs, by environment.
  /// - Complexity: O(*n*) in the events of the log; memory for what differs.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func reportReducer(
    now: Instant, progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil,
    _ body: (CustomerRevision) throws(LedgerError) -> Void
  ) throws(LedgerError) -> ReducerReport {
    try schedule.whileNobodyFolds { () throws(LedgerError) in
      guard let live = try source.live() else { throw .projectionsMissing }
      if try live.storedReducer() ?? Reducer.version == Reducer.version {
        // What waits, and what a fold that was cut short has begun.
        try fold(into: live, through: .max, nil)
      }
      let stored = try checkpoint(of: live)
      let other = live.generation + 1
      try Projections.remove(other, of: log)
      let fresh = try Projections.make(other, of: log)
      try fold(into: fresh, through: stored?.position ?? 0, progress)
      var report = ReducerReport(
        position: stored?.position ?? 0, storedReducer: stored?.reducer ?? Reducer.version,
        reducer: Reducer.version)
      let comparison = ReducerComparison(live, fresh, LogTexts(log), at: now)
      try log.read { (view) throws(LedgerError) in
        try comparison.compare(view, &report, body)
      }
      try Projections.remove(other, of: log)
      return report
    }
  }

  private func checkpoint(of projections: Projections) throws(LedgerError) -> Checkpoint? {
    let reading = try projections.beginRead()
    guard let found = try Checkpoint(reading.view, projections.tables) else { return nil }
    let isConfirmed = try log.read { (view) throws(LedgerError) in
      try found.isConfirmed(by: view, log.identity)
    }
    guard isConfirmed else { throw Checkpoint.unconfirmed }
    return found
  }
}
