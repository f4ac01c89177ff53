internal import LMDB
internal import LedgerEvents
internal import LedgerModel

extension Ledger {
  /// Folds the log anew into a generation beside the live one, switches to it and throws the old
  /// one away. Whoever reads meanwhile reads the old one.
  ///
  /// - Parameter progress: Told the position reached and the last one, after each batch.
  /// - Complexity: O(*n*) in the events of the log.
  /// - Throws: ``LedgerError``.
  public func rebuild(
    progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil
  ) throws(LedgerError) {
    try schedule.whileNobodyFolds { () throws(LedgerError) in
      let live = try log.read { (view) throws(LedgerError) in try view.generation() }
      try Projections.remove(live + 1, of: log)
      try fold(into: Projections.make(live + 1, of: log), through: .max, progress)
      try log.setGeneration(live + 1)
      source.release()
      try Projections.remove(live, of: log)
    }
  }

  /// Folds what waits, then the log anew beside the live projections, and says where they
  /// differ; empty is good.
  ///
  /// - Parameter progress: Told the position reached and the last one, after each batch.
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
    let projector = Projector(log: log, projections: projections)
    while true {
      let (position, last) = try projector.step(through: limit)
      progress?(position, last)
      if position >= last { return }
    }
  }
}
