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
    try Projections.clearFolder(of: log)
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
    try checkProjections(progress) {}
  }

  /// - Parameter betweenFolds: Called when the projections were folded and those that they are
  ///   compared with are not yet, so that a test can change something there.
  func checkProjections(
    _ progress: ((_ position: UInt64, _ last: UInt64) -> Void)?,
    betweenFolds: () throws(LedgerError) -> Void
  ) throws(LedgerError) -> [String] {
    try schedule.whileNobodyFolds { () throws(LedgerError) in
      for _ in 0..<Self.checksMax {
        let erased = try erasureCount()
        let found = Result { () throws(LedgerError) in
          try foundDifferences(progress, betweenFolds)
        }
        // What was erased meanwhile cannot be folded again, although the projections hold it until
        // they are folded further.
        let isUndisturbed = try erasureCount() == erased
        if isUndisturbed || found == .success([]) { return try found.get() }
      }
      throw LedgerError(
        .busy, "Customers were erased each time the projections were compared: try again later.")
    }
  }

  /// How often the projections are compared while customers are being erased.
  private static let checksMax = 5

  private func erasureCount() throws(LedgerError) -> Int {
    try log.read { (view) throws(LedgerError) in try view.erasureCount() }
  }

  private func foundDifferences(
    _ progress: ((_ position: UInt64, _ last: UInt64) -> Void)?,
    _ betweenFolds: () throws(LedgerError) -> Void
  ) throws(LedgerError) -> [String] {
    guard let live = try source.live() else { return ["There are no projections."] }
    if let stored = try live.storedReducer(), stored != Reducer.version {
      return [Checkpoint.foldedByOtherRules(stored)]
    }
    // An interrupted merge has left rows ahead of the checkpoint, so it is completed first.
    try fold(into: live, through: .max, nil)
    let position = try live.position()
    try betweenFolds()
    return try withFreshGeneration(beside: live, through: position, progress) {
      (fresh) throws(LedgerError) in try ProjectionComparison(live, fresh).differences()
    }
  }

  /// Folds the log up to a position into a generation beside the live one, and removes it after
  /// `body`, also if something fails.
  ///
  /// - Complexity: O(*n*) in the events of the log, and what `body` costs.
  func withFreshGeneration<Answer>(
    beside live: Projections, through position: UInt64,
    _ progress: ((_ position: UInt64, _ last: UInt64) -> Void)?,
    _ body: (Projections) throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    // Remove what a killed process has left.
    try Projections.removeGenerations(except: live.generation, of: log)
    let answer: Answer
    do throws(LedgerError) {
      let fresh = try Projections.make(live.generation + 1, of: log)
      try fold(into: fresh, through: position, progress)
      answer = try body(fresh)
    } catch {
      // The first error is the one to report. What is left over is removed by the next call.
      _ = Result { () throws(LedgerError) in
        try Projections.removeGenerations(except: live.generation, of: log)
      }
      throw error
    }
    try Projections.removeGenerations(except: live.generation, of: log)
    return answer
  }

  func fold(
    into projections: Projections, through limit: UInt64,
    _ progress: ((_ position: UInt64, _ last: UInt64) -> Void)?
  ) throws(LedgerError) {
    let projector = schedule.projector(projections)
    try projector.fold(through: limit, progress)
    try projector.writeReports()
  }
}

/// What a comparison of the projections with the log has found.
public enum ProjectionVerdict: Hashable, Sendable {
  /// They equal the result of folding the log again.
  case agree
  /// What is wrong with them. They are not the truth: a rebuild makes new ones from the log.
  case differ([String])
  /// Why they were not compared. This says nothing about the log.
  case notCompared(String)
}

extension EventLog {
  /// Opens the log of the ledger in the folder `path` to verify it, even if the log is behind the
  /// root that is kept beside it.
  ///
  /// Nothing is written, and permission to read the files is enough. A process that may not write
  /// the lock file cannot keep writers from reusing pages that it reads. If somebody appends
  /// meanwhile, it may then report damage where there is none.
  ///
  /// - Parameter path: The ledger's folder.
  /// - Returns: The log, open for reading.
  /// - Throws: ``LedgerError``: `noLedger`, `unknownFormat`, `busy`, `corrupt`, `io`.
  public static func toVerify(_ path: String) throws(LedgerError) -> EventLog {
    var options = Environment.Options()
    options.usesLocks = hasLockFile(path)
    do throws(LedgerError) {
      return try EventLog(open: path, access: .readOnly, options: options, keysIn: nil)
    } catch {
      guard error.code == .readOnly, options.usesLocks else { throw error }
      options.usesLocks = false
      return try EventLog(open: path, access: .readOnly, options: options, keysIn: nil)
    }
  }

  /// Folds the log again in a folder for temporary files, and compares the projections with it.
  ///
  /// Nothing is written into the ledger's folder. Faults of the projections are returned, not
  /// thrown.
  ///
  /// - Parameter progress: Called after each batch with the position reached and the last one.
  /// - Returns: Whether they agree, and where they differ.
  /// - Complexity: O(*n*) in the events of the log, and as much temporary space as the projections.
  /// - Throws: ``LedgerError``: what reading the log throws.
  public func verifyProjections(
    progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil
  ) throws(LedgerError) -> ProjectionVerdict {
    do throws(LedgerError) { return try compareProjections(progress) } catch {
      switch error.code {
      case .rebuildNeeded: return .differ([error.projectionDamage ?? error.message])
      case .full, .io, .readOnly, .busy: return .notCompared(error.message)
      default: throw error
      }
    }
  }

  /// How often a comparison is attempted while somebody else folds.
  private static let comparisonsMax = 5

  private func compareProjections(
    _ progress: ((UInt64, UInt64) -> Void)?
  ) throws(LedgerError) -> ProjectionVerdict {
    let generation = try read { (view) throws(LedgerError) in try view.generation() }
    try Projections.checkFolder(of: self, generation: generation)
    let damaged = generation > 0 ? try damagedProjectionPages(generation) : []
    guard damaged.isEmpty else { return .differ(damaged.map(\.description)) }
    guard generation > 0, let live = try Projections.open(generation, of: self) else {
      return .notCompared("there are none; they are folded when the ledger is next written to")
    }
    if let stored = try live.storedReducer(), stored != Reducer.version {
      return .differ([Checkpoint.foldedByOtherRules(stored)])
    }
    guard try isConfirmed(live) else { return .differ([Checkpoint.unconfirmed.message]) }
    let scratch = try ScratchFolder("daybook-verify")
    let fresh = try Projections.scratch(in: scratch.path, of: self)
    for _ in 0..<Self.comparisonsMax {
      let position = try live.position()
      let projector = Projector(log: self, projections: fresh)
      try projector.fold(through: position, progress)
      try projector.writeReports()
      let differences: [String]
      do throws(LedgerError) {
        differences = try ProjectionComparison(live, fresh).differences()
      } catch {
        // If the projections were folded further meanwhile, the others lack rows.
        guard error.code == .rebuildNeeded else { throw error }
        differences = [error.projectionDamage ?? error.message]
      }
      guard try live.position() == position else { continue }
      if differences.isEmpty { return .agree }
      if position == (try lastPosition()) { return .differ(differences) }
      // During a fold, rows are written ahead of the checkpoint.
      return .notCompared(
        "a fold of the projections is running or was cut short: `daybook rebuild --check` ends it "
          + "and compares them")
    }
    return .notCompared("the projections were folded further each time they were compared")
  }

  private func isConfirmed(_ live: Projections) throws(LedgerError) -> Bool {
    let reading = try live.beginRead()
    guard let found = try Checkpoint(reading.view, live.tables) else { return true }
    return try read { (view) throws(LedgerError) in try found.isConfirmed(by: view, identity) }
  }
}
