internal import LMDB
internal import LedgerEvents
internal import LedgerModel

extension Ledger {
  /// Folds the log again into a generation beside the live one, switches to it and deletes the old
  /// one. Until the switch, readers use the old one.
  ///
  /// - Parameter progress: Called after each batch with the position reached and the last one.
  /// - Complexity: O(*n*) in the events of the log.
  /// - Throws: ``LedgerError``.
  public func rebuild(
    progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil
  ) throws(LedgerError) {
    try schedule.whileNobodyFolds { () throws(LedgerError) in
      try schedule.rebuild(progress)
      schedule.forgetFailure()
    }
  }

  /// Folds what is not folded yet, then folds the whole log again beside the live projections, and
  /// returns where the two differ. An empty result means that they agree.
  ///
  /// - Parameter progress: Called after each batch with the position reached and the last one.
  /// - Complexity: O(*n*) in the events of the log.
  /// - Throws: ``LedgerError``.
  public func checkProjections(
    progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil
  ) throws(LedgerError) -> [String] {
    try schedule.whileNobodyFolds { () throws(LedgerError) in
      guard let live = try source.live() else { return ["There are no projections."] }
      if let stored = try live.storedReducer(), stored != Reducer.version {
        return [
          """
          everything was folded by version \(stored) of the rules, and this program has version \
          \(Reducer.version): `--report` says for whom the answers differ
          """
        ]
      }
      // A merge that was cut short has left rows ahead of the checkpoint: it is done first.
      try fold(into: live, through: .max, nil)
      let position = try live.position()
      let other = live.generation + 1
      try Projections.remove(other, of: log)
      let fresh = try Projections.make(other, of: log)
      try fold(into: fresh, through: position, progress)
      let differences = try ProjectionComparison(live, fresh).differences()
      try Projections.remove(other, of: log)
      return differences
    }
  }

  func fold(
    into projections: Projections, through limit: UInt64,
    _ progress: ((_ position: UInt64, _ last: UInt64) -> Void)?
  ) throws(LedgerError) {
    try Projector(log: log, projections: projections).fold(through: limit, progress)
  }
}
