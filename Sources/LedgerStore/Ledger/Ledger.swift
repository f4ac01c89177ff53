public import LMDB
public import LedgerEvents
package import LedgerModel

/// A ledger: the log that is the truth, and the projections folded from it.
///
/// Open it once per process and share it. An append is durable when it returns. What was appended
/// can be read at once, by this process and by others.
public final class Ledger: Sendable {
  /// The log, for reading records, following the tail and verifying.
  public let log: EventLog
  let source: ProjectionSource
  let schedule: FoldSchedule
  private let reader: LedgerReader
  private let judge: ConsumptionJudge

  /// The ledger's folder.
  public var path: String { log.path }

  private init(_ log: EventLog) {
    self.log = log
    source = ProjectionSource(log)
    schedule = FoldSchedule(log, source)
    reader = LedgerReader(log, source)
    judge = ConsumptionJudge(log, source)
    guard log.access == .readWrite else { return }
    // These objects own the log, so the closures that it keeps must not own them.
    log.useIndex(
      { [weak source] () throws(LedgerError) in try source?.index() ?? EmptyLogIndex() },
      failed: { [weak schedule] in schedule?.noteFailure(ofIndex: $0) })
    log.useConsumptionCheck { [weak judge, weak self] (pending, view) throws(LedgerError) in
      guard let judge else { throw LedgerError(.closed, "The ledger was closed: open it again.") }
      do throws(LedgerError) { try judge.check(pending, view) } catch {
        self?.noteDamage(error)
        throw error
      }
    }
  }

  /// Creates an empty ledger in the folder `path` and opens it.
  ///
  /// - Throws: ``LedgerError``: `exists`, `readOnly`, `io`.
  public static func create(
    at path: String, options: Environment.Options = Environment.Options(),
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) -> Ledger {
    let log = try EventLog.create(at: path, options: options, clock: clock)
    let ledger = Ledger(log)
    _ = try ledger.source.live()
    return ledger
  }

  /// Opens the ledger in the folder `path`.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``: `noLedger`, `unknownFormat`, `busy`, `readOnly`, `corrupt`, `io`.
  public convenience init(
    at path: String, access: EventLog.Access = .readWrite,
    options: Environment.Options = Environment.Options(),
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) {
    self.init(try EventLog(open: path, access: access, options: options, clock: clock))
    guard access == .readWrite else { return }
    do throws(LedgerError) { try finishErasure() } catch {
      // Projections that must be rebuilt do not prevent opening. The mark then stays for the next
      // time.
      guard error.code == .rebuildNeeded else { throw error }
    }
  }
}

// MARK: - Closing

extension Ledger {
  /// Closes the ledger in this process, so that it can be opened again at once. Without this call,
  /// the files are closed when the last reference is released.
  ///
  /// Waits for a running fold, but starts none. What was appended is already durable. Afterwards,
  /// every call on the ledger throws `closed`. Closing it a second time does nothing.
  ///
  /// - Throws: ``LedgerError``: `busy` while something reads or appends, or while an `Entitlements`
  ///   holds its readers. The ledger then stays open.
  public func close() throws(LedgerError) {
    try schedule.whileNothingRuns { () throws(LedgerError) in
      reader.release()
      source.release()
      try log.close()
    }
  }
}

extension Ledger {
  /// Whether a disk that failed keeps this process from writing the log or the projections
  /// until the ledger has been closed and opened again. Then a commit has failed whose outcome is
  /// unknown.
  package var mustReopen: Bool { log.environment.isFailed || source.hasFailed }

  /// Whether the ledger's folder was moved, removed or replaced while this process has it open.
  package var isElsewhere: Bool { log.environment.isElsewhere }
}

// MARK: - Appending

extension Ledger {
  /// Appends a batch as a whole. It is durable when this returns.
  ///
  /// See ``EventLog/append(_:options:)``.
  @discardableResult
  public func append(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) async throws(LedgerError) -> AppendResult {
    try prepareAppend()
    let result = try await log.append(batch, options: options)
    noteAppend()
    return result
  }

  /// Appends a batch like `append`, and blocks the calling thread until it is durable.
  @available(*, noasync, message: "blocks its thread; use append")
  @discardableResult
  public func appendAndWait(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendResult {
    try prepareAppend()
    let result = try log.appendAndWait(batch, options: options)
    noteAppend()
    return result
  }

  /// Folds first, if so many events wait for the fold that appends have to wait, too.
  func prepareAppend() throws(LedgerError) {
    // Waiting for folds that fail would not make the backlog any shorter.
    guard try isBehind(), !schedule.isFailing else { return }
    do throws(LedgerError) { try schedule.foldNow() } catch {
      // The schedule has noted the failure. The projections never prevent an append.
      if error.code == .closed { throw error }
    }
  }

  /// Notifies the schedule that there is something to fold.
  func noteAppend() { schedule.noteAppend() }

  /// Hands a batch to the writer without waiting; see ``EventLog/submit(_:options:)``.
  @available(*, noasync, message: "the ticket blocks its thread; use append")
  public func submit(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendTicket {
    try prepareAppend()
    let ticket = try log.submit(batch, options: options)
    noteAppend()
    return ticket
  }

  /// Whether so many events wait for the fold that appends have to wait, too.
  private func isBehind() throws(LedgerError) -> Bool {
    schedule.isBacklog(try waitingCount())
  }

  /// How many events are not folded; 0 if the projections belong to a longer log than this one,
  /// which means that the log was restored from a backup.
  private func waitingCount() throws(LedgerError) -> UInt64 {
    let folded: UInt64
    do throws(LedgerError) {
      guard let projections = try source.live() else { return 0 }
      folded = try projections.position()
    } catch {
      if error.code == .closed { throw error }
      // Projections that cannot be read do not prevent an append.
      schedule.noteFailure(ofIndex: error)
      return 0
    }
    let last = try log.lastPosition()
    return last > folded ? last - folded : 0
  }

  /// Folds what is in the log now into the projections.
  ///
  /// - Parameter progress: Called after each batch with the position reached and the last one.
  /// - Throws: ``LedgerError``.
  public func fold(
    progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil
  ) throws(LedgerError) {
    try schedule.foldNow(progress: progress)
  }

  /// Leaves it to the caller of ``foldInBackground()`` when to fold, instead of to the clock.
  package func foldsOnlyWhenCalled() { schedule.ignoreClock() }

  /// Stores large units in another layout than usual, which must be the same for all who fold the
  /// ledger.
  package func useLayout(_ layout: UnitLayout) { schedule.use(layout) }

  /// Folds soon what another process has appended, which leaves that to those who stay.
  package func foldSoon() { schedule.noteAppend() }

  /// Folds as this process does in the background. A failure is noted in ``foldFailure``.
  package func foldInBackground() { schedule.foldInBackground() }

  /// Folds if so many events are waiting that the next reader would notice.
  ///
  /// When a process appends and exits, readers fold its last events in memory. For up to a few
  /// thousand events, this costs them a millisecond. Projections that proved to be damaged are
  /// folded again from the log.
  ///
  /// A fold that fails is no error here, because what was appended is durable: ``foldFailure`` says
  /// what went wrong.
  ///
  /// - Throws: ``LedgerError``: what reading the log throws.
  public func foldBeforeLeaving() throws(LedgerError) {
    let isLong = try waitingCount() > Self.tailLeftMax
    let isDamaged = try source.liveDamage() != nil
    guard isLong || isDamaged else { return }
    do throws(LedgerError) { try schedule.foldNow() } catch {
      guard foldFailure != nil else { throw error }
    }
  }

  /// What was wrong with projections that this process has found damaged and folded again from the
  /// log; `nil` if there were none. No event was lost or duplicated.
  public var repairedDamage: String? { schedule.repairedDamage }

  /// How many events a process may leave unfolded when it ends.
  static let tailLeftMax: UInt64 = 4_000
}

// MARK: - Asking

extension Ledger {
  /// Asks any number of questions about the ledger as it is now. All answers are true at the same
  /// position.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded`, `corrupt`, `io`, and what `body` throws.
  public func read<Value>(
    _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    do throws(LedgerError) { return try reader.read(body) } catch {
      noteDamage(error)
      throw error
    }
  }

  /// Schedules a new fold of projections that a query has found damaged, if this process may write.
  func noteDamage(_ error: LedgerError) {
    if error.projectionDamage != nil, log.access == .readWrite {
      schedule.noteFailure(ofIndex: error)
    }
  }

  /// What made the last fold fail, in this process or in another that appended; `nil` if the last
  /// fold succeeded.
  ///
  /// Appended events are safe all the same, and every query is answered, with the missing events
  /// read from the log. Answers only take longer the more events wait.
  public var foldFailure: String? { schedule.lastFailure() }

  /// Why the root of the last commit of this process could not be written beside the log; `nil` if
  /// it was written. See `EventLog.rootFailure`.
  public var rootFailure: String? { log.rootFailure }
}
