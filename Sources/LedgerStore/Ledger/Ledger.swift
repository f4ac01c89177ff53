public import LMDB
public import LedgerEvents
internal import LedgerModel

/// A ledger: the log that is the truth, and the projections folded from it.
///
/// Open it once a process and share it. Appending is durable when it returns; what was appended can
/// be read at once, by this process and by others.
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
    // The log outlives nobody here: what it is given must not hold on to it.
    log.useIndex { [weak source] () throws(LedgerError) in
      try source?.index() ?? EmptyKeyIndex()
    }
    log.useConsumptionCheck { [weak judge] (pending, view) throws(LedgerError) in
      guard let judge else { throw LedgerError(.closed, "The ledger was closed: open it again.") }
      try judge.check(pending, view)
    }
  }

  /// Makes an empty ledger in the folder `path` and opens it.
  ///
  /// - Throws: ``LedgerError``: `exists`, `readOnly`, `io`.
  public static func create(
    at path: String, options: Environment.Options = Environment.Options(),
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) -> Ledger {
    let log = try EventLog.create(at: path, options: options, clock: clock)
    try log.setGeneration(1)
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
      // With the projections missing it waits until they are made again.
      guard error.code == .rebuildNeeded else { throw error }
    }
  }
}

// MARK: - Closing

extension Ledger {
  /// Ends the use of the ledger in this process, so that it can be opened again at once; without
  /// it the files are let go when the last reference is.
  ///
  /// Waits for a fold that is under way, and folds nothing. What was appended is durable already.
  /// Whatever is asked of the ledger afterwards throws `closed`; closing it once more does nothing.
  ///
  /// - Throws: ``LedgerError``: `busy` while something reads or appends, or an `Entitlements` holds
  ///   its readers; the ledger is then still open.
  public func close() throws(LedgerError) {
    try schedule.whileNothingRuns { () throws(LedgerError) in
      reader.release()
      source.release()
      try log.close()
    }
  }
}

// MARK: - Appending

extension Ledger {
  /// Appends a batch as a whole; when this returns it is durable.
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

  /// Appends a batch as `append` does, and blocks the calling thread meanwhile.
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

  /// Folds first where so much waits to be folded that appending has to wait for it.
  func prepareAppend() throws(LedgerError) {
    if try isBehind() { try schedule.foldNow() }
  }

  /// Says that there is something to fold.
  func noteAppend() { schedule.noteAppend() }

  /// Hands a batch to the writer and goes on; see ``EventLog/submit(_:options:)``.
  @available(*, noasync, message: "the ticket blocks its thread; use append")
  public func submit(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendTicket {
    try prepareAppend()
    let ticket = try log.submit(batch, options: options)
    noteAppend()
    return ticket
  }

  /// Whether so much waits to be folded that appending has to wait for it.
  private func isBehind() throws(LedgerError) -> Bool {
    try waitingCount() > FoldSchedule.backlogEventsMax
  }

  /// How many events are not folded; none where the projections are of a longer log than this one,
  /// which was put back from a backup then.
  private func waitingCount() throws(LedgerError) -> UInt64 {
    guard let projections = try source.live() else { return 0 }
    let folded = try projections.position()
    let last = try log.lastPosition()
    return last > folded ? last - folded : 0
  }

  /// Folds what is in the log now into the projections.
  ///
  /// - Parameter progress: Told the position reached and the last one, after each batch.
  /// - Throws: ``LedgerError``.
  public func fold(
    progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil
  ) throws(LedgerError) {
    try schedule.foldNow(progress: progress)
  }

  /// Folds, if so much waits that the next reader would notice.
  ///
  /// A process that appends and exits leaves its last events to be folded in memory by those who
  /// ask; up to a few thousand that costs them a millisecond.
  public func foldBeforeLeaving() throws(LedgerError) {
    if try waitingCount() > Self.tailLeftMax { try schedule.foldNow() }
  }

  /// How many events a process that ends leaves behind the projections.
  static let tailLeftMax: UInt64 = 4_000
}

// MARK: - Asking

extension Ledger {
  /// Asks any number of questions of the ledger as it is now; all answers are true at one position.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded`, `corrupt`, `io`, and what `body` throws.
  public func read<Value>(
    _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    try reader.read(body)
  }

  /// The last failure to fold in the background, if the last attempt failed.
  public var foldFailure: LedgerError? { schedule.lastFailure() }
}
