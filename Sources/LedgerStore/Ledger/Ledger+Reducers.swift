internal import LMDB
package import LedgerEvents
internal import LedgerModel

extension Ledger {
  /// Folds the log again beside the live projections with this program's reducer, and calls `body`
  /// with the answers of both for each account for which they may differ, by environment. The live
  /// generation stays live.
  ///
  /// It compares stored answers and reads no stored state. So the live projections may come from a
  /// reducer whose state this program cannot read.
  ///
  /// - Parameters:
  ///   - now: The moment at which entitlements are judged, or the customer's newest event if that
  ///     is later. Differences that only appear later are found, too.
  ///   - progress: Called after each batch with the position reached and the last one.
  ///   - body: Called for each account, with both sides in every environment.
  /// - Complexity: O(*n*) in the events of the log; memory for what differs.
  /// - Throws: ``LedgerError``, and what `body` throws.
  package func compareReducers(
    now: Instant, progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil,
    _ body: ([ReducerSides]) throws(LedgerError) -> Void
  ) throws(LedgerError) -> ReducerSummary {
    try schedule.whileNobodyFolds { () throws(LedgerError) in
      guard let live = try source.live() else { throw .projectionsMissing }
      if try live.storedReducer() ?? Reducer.version == Reducer.version {
        // Fold the events that wait, and complete an interrupted fold.
        try fold(into: live, through: .max, nil)
      }
      let stored = try checkpoint(of: live)
      let position = stored?.position ?? 0
      var summary = ReducerSummary(
        position: position, storedReducer: stored?.reducer ?? Reducer.version)
      try withFreshGeneration(beside: live, through: position, progress) {
        (fresh) throws(LedgerError) in
        let comparison = ReducerComparison(live, fresh, LogTexts(log), at: now)
        try log.read { (view) throws(LedgerError) in
          try comparison.compare(view, &summary, body)
        }
      }
      return summary
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
