internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import Synchronization
internal import WorkThreads

/// Decides when a process that appends also folds: when the log has been quiet for a moment, when
/// the oldest event that is not folded is old, or when too many events are not folded.
///
/// Both environments share a disk, so a fold after every single append would slow appends down.
/// Only one process folds at a time; a file lock elects it.
final class FoldSchedule: Sendable {
  /// How long the log must be quiet before it is folded, in milliseconds.
  static let quietMilliseconds = 50
  /// How old the oldest event that is not folded may become, in seconds.
  static let ageSecondsMax = 1
  /// How long after a fold that found the disk full the next one begins, in seconds, if no append
  /// begins one earlier.
  static let fullPauseSeconds = 5
  /// How long after an attempt that found another process folding the next one begins, in seconds.
  /// What was appended since that process began may be left to this one.
  static let electedPauseSeconds = 1
  /// How many events may wait before appends wait for the fold; tests lower it.
  let backlogEventsMax = Atomic<UInt64>(1_000_000)
  /// How many rows of customers with long histories stay in memory from one fold to the next, so
  /// that their next events cost what they touch: about 170 bytes each, 45 MB. Beyond that, the
  /// customers that were folded least recently are read again, once a fold.
  static let keptRowsMax = 250_000
  /// How the projections store large units. Tests and counted costs say which.
  private let layout = Mutex<UnitLayout>(.usual)
  /// Whether the clock decides when to fold. A simulator decides it itself, to repeat what it does.
  private let followsClock = Atomic<Bool>(true)

  private struct Timing {
    var lastAppend = ContinuousClock.now
    var firstWaiting: ContinuousClock.Instant?
    var isScheduled = false
  }

  private let log: EventLog
  private let source: ProjectionSource
  private let thread: BackgroundThread
  /// Held by whoever folds in this process.
  private let turn = Mutex<Void>(())
  private let timing = Mutex(Timing())
  private let projector = Mutex<Held>(Held())
  private let failure = Mutex<LedgerError?>(nil)
  private let repaired = Mutex<String?>(nil)
  private let note: FoldFailureNote

  /// State that only whoever has the turn touches.
  private final class Held: @unchecked Sendable {
    var projector: Projector?
  }

  init(
    _ log: EventLog, _ source: ProjectionSource, thread: BackgroundThread = BackgroundThread()
  ) {
    self.thread = thread
    self.log = log
    self.source = source
    note = FoldFailureNote(of: log)
  }

  /// Records that something was appended, and makes sure that it is folded in time. If the system
  /// starts no thread, that is now, on this one.
  func noteAppend() {
    if !foldsLater() { foldInBackground() }
  }

  /// Makes sure that what was appended is folded in time. Returns false if the system starts no
  /// thread that could do it; the next append then tries again.
  @discardableResult
  private func foldsLater() -> Bool {
    let starts = timing.withLock { timing in
      timing.lastAppend = .now
      timing.firstWaiting = timing.firstWaiting ?? .now
      defer { timing.isScheduled = true }
      return !timing.isScheduled
    }
    return !starts || schedule()
  }

  /// Folds everything that is in the log now, and waits until this is done.
  ///
  /// - Parameter progress: Called after each batch with the position reached and the last one.
  /// - Throws: ``LedgerError``.
  func foldNow(
    progress: ((UInt64, UInt64) -> Void)? = nil
  ) throws(LedgerError) {
    var result: Result<Void, LedgerError> = .success(())
    turn.withLock { _ in
      do throws(LedgerError) { try foldAll(waits: true, progress) } catch {
        result = .failure(error)
      }
    }
    try result.get()
  }

  /// The reason why the last fold failed, in this process or another; `nil` if it succeeded.
  func lastFailure() -> String? { failure.withLock { $0?.message } ?? note.message() }

  /// Whether so many events wait that appends wait for the fold.
  func isBacklog(_ count: UInt64) -> Bool { count > backlogEventsMax.load(ordering: .relaxed) }

  /// Whether the last fold of this process failed.
  var isFailing: Bool { failure.withLock { $0 != nil } }

  /// Records that everything was folded, so that earlier failures are no longer reported.
  func forgetFailure() {
    failure.withLock { $0 = nil }
    note.remove()
  }

  /// Records why the writer works without the index, and schedules a new fold of damaged
  /// projections.
  func noteFailure(ofIndex error: LedgerError) {
    if error.code == .closed { return }
    let isNew = failure.withLock { $0?.message } != error.message
    // Each append finds the same failure until somebody repairs it.
    if isNew {
      do throws(LedgerError) { source.note(error, of: try source.generation()) } catch {
        // The log itself cannot be read. The append reports that.
        return
      }
      failure.withLock { $0 = error }
      note.write(error.message)
    }
    // Not here: this may be the writer's thread, in the middle of a commit.
    if error.projectionDamage != nil { foldsLater() }
  }

  /// What was wrong with the projections that this process has folded again.
  var repairedDamage: String? { repaired.withLock { $0 } }

  /// Folds in the background only when ``foldInBackground()`` is called.
  func ignoreClock() { followsClock.store(false, ordering: .relaxed) }

  /// Folds as the clock would have it, now. Does nothing if another process folds.
  func foldInBackground() {
    timing.withLock { timing in
      timing.firstWaiting = nil
      timing.isScheduled = false
    }
    turn.withLock { _ in foldUnattended() }
  }

  private func schedule() -> Bool {
    guard followsClock.load(ordering: .relaxed) else { return true }
    let isScheduled = thread.run(after: .milliseconds(Self.quietMilliseconds)) { [weak self] in
      self?.attempt()
    }
    if !isScheduled { timing.withLock { $0.isScheduled = false } }
    return isScheduled
  }

  private func attempt() {
    let isDue = timing.withLock { timing in
      let now = ContinuousClock.now
      let isQuiet = now - timing.lastAppend >= .milliseconds(Self.quietMilliseconds)
      let isOld = timing.firstWaiting.map { now - $0 >= .seconds(Self.ageSecondsMax) } ?? false
      if isQuiet || isOld {
        timing.firstWaiting = nil
        timing.isScheduled = false
        return true
      }
      return false
    }
    if !isDue, schedule() { return }
    turn.withLock { _ in foldUnattended() }
  }

  private func foldUnattended() {
    do throws(LedgerError) {
      let isElected = try foldAll(waits: false, nil)
      if !isElected { foldsAgain(after: Self.electedPauseSeconds) { true } }
    } catch {
      // Nobody waits for this fold: ``lastFailure()`` reports what it noted.
      guard error.code == .full else { return }
      // Somebody may make room without appending anything afterwards.
      foldsAgain(after: Self.fullPauseSeconds) { [weak self] in self?.isFailing ?? false }
    }
  }

  /// Folds again after a pause if it is then still needed. If the system starts no thread, the next
  /// append folds.
  private func foldsAgain(
    after seconds: Int, ifNeeded isNeeded: @escaping @Sendable () -> Bool
  ) {
    guard followsClock.load(ordering: .relaxed) else { return }
    _ = thread.run(after: .seconds(seconds)) { [weak self] in
      if isNeeded() { self?.foldsLater() }
    }
  }

  /// Folds, and records the outcome: a failure in the background is reported to whoever asks next.
  ///
  /// - Returns: False if another process folds, and this one has done nothing.
  @discardableResult
  private func foldAll(
    waits: Bool, _ progress: ((UInt64, UInt64) -> Void)?
  ) throws(LedgerError) -> Bool {
    do throws(LedgerError) { return try foldElected(waits: waits, progress) } catch {
      // A ledger that was closed meanwhile has nothing wrong with it.
      if error.code != .closed {
        failure.withLock { $0 = error }
        note.write(error.message)
      }
      throw error
    }
  }

  private func foldElected(
    waits: Bool, _ progress: ((UInt64, UInt64) -> Void)?
  ) throws(LedgerError) -> Bool {
    source.releaseIfDeleted()
    // Once a ledger is closed, its folder may be removed: nothing may be made in it again.
    _ = try source.generation()
    try Projections.makeFolder(of: log)
    guard let lock = try elected(waits: waits) else { return false }
    let generation = try source.generation()
    try Projections.removeGenerations(except: generation, of: log)
    do throws(LedgerError) {
      if try source.liveDamage() == nil {
        guard let projections = try source.live() else { return true }
        try foldAll(projections, progress)
      }
    } catch {
      guard error.projectionDamage != nil else { throw error }
      source.note(error, of: generation)
    }
    if let damage = try source.liveDamage() {
      try rebuild(progress)
      repaired.withLock { $0 = damage }
    }
    forgetFailure()
    lock.unlock()
    try log.syncRoot()
    return true
  }

  /// Folds the log into a new generation, switches to it, and removes the previous one.
  ///
  /// The caller must hold the lock that elects the process that folds.
  func rebuild(_ progress: ((UInt64, UInt64) -> Void)?) throws(LedgerError) {
    projector.withLock { $0.projector = nil }
    let live = try source.generation()
    try Projections.removeGenerations(except: live, of: log)
    // Nobody gets to the last number by rebuilding, but whoever can write the log can store it.
    let next = live < .max ? live + 1 : 1
    let projections = try Projections.make(next, of: log)
    let projector = projector(projections)
    try projector.fold(through: .max, progress)
    try projector.writeReports()
    // Before the switch: a reader that finds the new number must not open this generation again.
    let previous = source.adopt(projections)
    do throws(LedgerError) { try log.setGeneration(next) } catch {
      // Those who read the previous one keep it open, so it has to be found again. A commit that
      // failed may have taken effect all the same.
      let number = Result { () throws(LedgerError) in try source.generation() }
      if number != .success(next) { source.adopt(previous) }
      throw error
    }
    try Projections.removeGenerations(except: next, of: log)
  }

  private func foldAll(
    _ projections: Projections, _ progress: ((UInt64, UInt64) -> Void)?
  ) throws(LedgerError) {
    let held = projector.withLock { $0 }
    if held.projector?.projections.generation != projections.generation {
      held.projector = projector(projections)
    }
    guard let projector = held.projector else { return }
    try projector.fold(through: .max, progress)
  }

  func use(_ layout: UnitLayout) { self.layout.withLock { $0 = layout } }

  /// What folds into projections in the layout of this ledger.
  func projector(_ projections: Projections) -> Projector {
    let pace = MergePace(
      layout: layout.withLock { $0 }, keptRowsMax: Self.keptRowsMax)
    return Projector(log: log, projections: projections, pace: pace)
  }

  /// Runs `body` while no process folds, neither this one nor another.
  func whileNobodyFolds<Value>(
    _ body: () throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    var result: Result<Value, LedgerError>?
    turn.withLock { _ in
      projector.withLock { $0.projector = nil }
      do throws(LedgerError) {
        source.releaseIfDeleted()
        try Projections.makeFolder(of: log)
        let lock = try elected(waits: true)
        result = .success(try body())
        lock?.unlock()
      } catch { result = .failure(error) }
    }
    guard let result else { throw LedgerError(.busy, "The fold did not run: try again.") }
    return try result.get()
  }

  /// Runs `body` while this process does not fold and holds no resources for folding, after it has
  /// completed what its folds have put off.
  func whileNothingRuns(
    _ body: () throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var result: Result<Void, LedgerError> = .success(())
    turn.withLock { _ in
      writeReports()
      projector.withLock { $0.projector = nil }
      do throws(LedgerError) { try body() } catch { result = .failure(error) }
    }
    try result.get()
  }

  /// Brings the reports of large units up to date, unless another process folds. If that fails,
  /// they stay behind until the units grow or are folded again.
  private func writeReports() {
    let held = projector.withLock { $0 }
    guard let projector = held.projector else { return }
    do throws(LedgerError) {
      guard let lock = try elected(waits: false) else { return }
      try projector.writeReports()
      lock.unlock()
    } catch { note.write(error.message) }
  }

  private func elected(waits: Bool) throws(LedgerError) -> FileLock? {
    let path = "\(Projections.folder(of: log))/\(Projections.lockName)"
    do throws(LMDBError) {
      return waits ? try FileLock.lock(path) : try FileLock.tryLock(path)
    } catch { throw LedgerError(error) }
  }
}
