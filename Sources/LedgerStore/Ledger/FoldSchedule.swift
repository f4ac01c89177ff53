internal import Dispatch
internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// When a process that appends folds: when the log has been quiet for a moment, when what is not
/// folded is old, or when there is too much of it.
///
/// Both environments share a disk, so a fold behind each single append would slow the appends.
/// One process at a time folds, elected by a lock on a file.
final class FoldSchedule: Sendable {
  /// How long the log has to be quiet before it is folded, in milliseconds.
  static let quietMilliseconds = 50
  /// How old the first event that is not folded may become, in seconds.
  static let ageSecondsMax = 1
  /// How many events may wait before appends wait for the fold.
  static let backlogEventsMax: UInt64 = 1_000_000

  private struct Timing {
    var lastAppend = ContinuousClock.now
    var firstWaiting: ContinuousClock.Instant?
    var isScheduled = false
  }

  private let log: EventLog
  private let source: ProjectionSource
  private let queue = DispatchQueue(label: "daybook.fold", qos: .utility)
  private let timing = Mutex(Timing())
  private let projector = Mutex<Held>(Held())
  private let failure = Mutex<LedgerError?>(nil)

  /// What the queue alone touches.
  private final class Held: @unchecked Sendable {
    var projector: Projector?
  }

  init(_ log: EventLog, _ source: ProjectionSource) {
    self.log = log
    self.source = source
  }

  /// Notes that something was appended, and sees to it that it is folded in time.
  func noteAppend() {
    let starts = timing.withLock { timing in
      timing.lastAppend = .now
      timing.firstWaiting = timing.firstWaiting ?? .now
      defer { timing.isScheduled = true }
      return !timing.isScheduled
    }
    if starts { schedule() }
  }

  /// Folds everything that is in the log now, and waits for it.
  ///
  /// - Parameter progress: Told the position reached and the last one, after each batch.
  /// - Throws: ``LedgerError``.
  func foldNow(
    progress: ((UInt64, UInt64) -> Void)? = nil
  ) throws(LedgerError) {
    var result: Result<Void, LedgerError> = .success(())
    queue.sync {
      do throws(LedgerError) { try foldAll(waits: true, progress) } catch {
        result = .failure(error)
      }
    }
    try result.get()
  }

  /// The last failure of a fold in the background.
  func lastFailure() -> LedgerError? { failure.withLock { $0 } }

  private func schedule() {
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.quietMilliseconds)) { [weak self] in
      self?.attempt()
    }
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
    guard isDue else { return schedule() }
    do throws(LedgerError) {
      try foldAll(waits: false, nil)
      failure.withLock { $0 = nil }
    } catch {
      failure.withLock { $0 = error }
    }
  }

  private func foldAll(
    waits: Bool, _ progress: ((UInt64, UInt64) -> Void)?
  ) throws(LedgerError) {
    source.releaseIfDeleted()
    guard let projections = try source.live() else { return }
    guard let lock = try elected(waits: waits) else { return }
    try foldAll(projections, progress)
    lock.unlock()
  }

  private func foldAll(
    _ projections: Projections, _ progress: ((UInt64, UInt64) -> Void)?
  ) throws(LedgerError) {
    let held = projector.withLock { $0 }
    if held.projector?.projections.generation != projections.generation {
      held.projector = Projector(log: log, projections: projections)
    }
    guard let projector = held.projector else { return }
    while true {
      let (position, last) = try projector.step()
      progress?(position, last)
      if position >= last { return }
    }
  }

  /// Does something while nobody folds, neither this process nor another.
  func whileNobodyFolds<Value>(
    _ body: () throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    var result: Result<Value, LedgerError>?
    queue.sync {
      projector.withLock { $0.projector = nil }
      do throws(LedgerError) {
        source.releaseIfDeleted()
        _ = try source.live()
        let lock = try elected(waits: true)
        result = .success(try body())
        lock?.unlock()
      } catch { result = .failure(error) }
    }
    guard let result else { throw LedgerError(.busy, "The fold did not run: try again.") }
    return try result.get()
  }

  /// Does something while this process folds nothing and holds nothing to fold with.
  func whileNothingRuns(
    _ body: () throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var result: Result<Void, LedgerError> = .success(())
    queue.sync {
      projector.withLock { $0.projector = nil }
      do throws(LedgerError) { try body() } catch { result = .failure(error) }
    }
    try result.get()
  }

  private func elected(waits: Bool) throws(LedgerError) -> FileLock? {
    let path = "\(Projections.folder(of: log))/\(Self.lockName)"
    do throws(LMDBError) {
      return waits ? try FileLock.lock(path) : try FileLock.tryLock(path)
    } catch { throw LedgerError(error) }
  }

  private static let lockName = "fold.lock"
}
