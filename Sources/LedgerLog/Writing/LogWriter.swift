internal import LMDB
internal import LedgerEvents
internal import Synchronization
internal import WorkThreads

/// A batch that waits for the writer, and how to answer its caller.
struct PendingAppend: Sendable {
  let batch: PreparedBatch
  let condition: AppendCondition?
  /// For an erasure, what it destroys.
  var erasure: ErasureCheck?
  let answer: @Sendable (Result<AppendResult, LedgerError>) -> Void
}

/// What the projections provide for the writer.
struct WriterHooks: Sendable {
  var index: @Sendable () throws(LedgerError) -> any LogIndex = { EmptyLogIndex() }
  /// Called with the reason why the index is no longer used, before the log is read instead.
  var indexFailed: @Sendable (LedgerError) -> Void = { _ in }
  var consumption: ConsumptionCheck?
  /// The maximum time during which a group accepts more batches.
  var groupTimeMax = LogAppender.groupTimeMax
}

/// The only writer of a process. It takes the waiting batches, group after group, on a thread of
/// its own, never on one of Swift's cooperative pool. If no thread can be started, whoever submits
/// a batch writes it.
///
/// While one group is being written to the disk, the next one gathers. Nobody waits for a group to
/// fill. A caller that blocks its thread anyway writes its group itself if nobody else is writing:
/// waking another thread, and being woken by it, takes longer than writing one event.
final class LogWriter: Sendable {
  /// The number of events from which a batch is large: a commit costs as much as the work for some
  /// two hundred events.
  static let largeEventsMin = 500

  private struct Waiting {
    var batches: [PendingAppend] = []
    /// The number of batches at the beginning that have been taken.
    var taken = 0
    var isDraining = false
    /// Whether the batches were submitted while the writer was held, and so are to be one group.
    var isOneGroup = false
    /// Whether somebody holds the writer back.
    var isHeld = false
    /// Whether batches were submitted meanwhile that whoever holds the writer has to write.
    var isLeft = false
    var hooks = WriterHooks()

    /// Notes that nobody is writing any more, if nothing waits. Returns whether that is so.
    mutating func endIfEmpty() -> Bool {
      guard taken == batches.count else { return false }
      batches.removeAll(keepingCapacity: true)
      taken = 0
      isDraining = false
      isOneGroup = false
      return true
    }
  }

  private let waiting = Mutex(Waiting())
  private let appender: Mutex<LogAppender>
  private let thread: BackgroundThread
  let signal = AppendSignal()

  init(
    environment: Environment, tables: LogTables, keyHash: KeyHash, roots: RootKeeper,
    clock: @escaping @Sendable () -> Instant, thread: BackgroundThread = BackgroundThread()
  ) {
    self.thread = thread
    appender = Mutex(
      LogAppender(
        environment: environment, tables: tables, keyHash: keyHash, roots: roots, clock: clock))
  }

  /// Adds a batch to the waiting ones. Its caller is answered when it is durable or rejected.
  func enqueue(_ pending: PendingAppend) {
    if add(pending) { drainInBackground() }
  }

  /// Adds a batch to the waiting ones, and writes its group on this thread if nobody is writing.
  /// Otherwise, its caller is answered later.
  ///
  /// - Precondition: The calling thread may block, and the writer is not held.
  func enqueueAndLead(_ pending: PendingAppend) {
    guard add(pending) else { return }
    // What has gathered meanwhile is not written on this caller's time.
    if writeGroup(), !endIfEmpty() { drainInBackground() }
  }

  /// Writes what waits, on the writer's thread.
  private func drainInBackground() {
    if thread.run({ self.drain() }) { return }
    // The system starts no thread, so this one does it. While the writer is held, this one may be
    // the one that holds it, which then does it afterwards.
    let isHeld = waiting.withLock { waiting in
      waiting.isLeft = waiting.isHeld
      return waiting.isHeld
    }
    if !isHeld { drain() }
  }

  /// Returns whether nobody is writing, so that the caller has to see to it.
  private func add(_ pending: PendingAppend) -> Bool {
    waiting.withLock { waiting in
      waiting.batches.append(pending)
      defer { waiting.isDraining = true }
      return !waiting.isDraining
    }
  }

  /// Holds the writer back while `body` submits batches, so that they are one group however long
  /// they take. Later groups have their time limit again.
  func whileHeld<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    defer {
      let isLeft = waiting.withLock { waiting in
        defer { waiting.isLeft = false }
        return waiting.isLeft
      }
      if isLeft { drain() }
    }
    // A group takes its batches under this lock, and none can while it is held.
    return try appender.withLock { _ throws(Failure) in
      waiting.withLock { $0.isHeld = true }
      defer {
        waiting.withLock { waiting in
          waiting.isHeld = false
          waiting.isOneGroup = waiting.taken < waiting.batches.count
        }
      }
      return try body()
    }
  }

  /// Changes what the projections provide, from the next group on.
  func setHooks(_ change: @Sendable (inout WriterHooks) -> Void) {
    waiting.withLock { waiting in change(&waiting.hooks) }
  }

  /// Returns the number of entries and the size of the tail, which the index does not contain yet.
  func tailSize() -> (entries: Int, bytes: Int) { appender.withLock { $0.tailSize } }

  /// Commits group after group until nothing waits.
  private func drain() {
    while writeGroup() {}
  }

  /// Commits one group. Returns false if nothing waits.
  @discardableResult
  private func writeGroup() -> Bool {
    let answers = appender.withLock { appender in
      beginGroup().map { (hooks, isOneGroup) in
        appender.commitGroup(hooks) { self.take(eventsMax: $0, leavesLarge: !isOneGroup) }
      }
    }
    guard let answers else { return false }
    signal.notify()
    for (answer, result) in answers { answer(result) }
    return true
  }

  /// Returns whether nothing waits. Then the next batch has to see to its group itself.
  private func endIfEmpty() -> Bool { waiting.withLock { $0.endIfEmpty() } }

  private func beginGroup() -> (hooks: WriterHooks, isOneGroup: Bool)? {
    waiting.withLock { waiting in
      if waiting.endIfEmpty() { return nil }
      defer { waiting.isOneGroup = false }
      var hooks = waiting.hooks
      if waiting.isOneGroup { hooks.groupTimeMax = .seconds(Int64.max) }
      return (hooks, waiting.isOneGroup)
    }
  }

  /// Returns the next batch, unless it has more than `eventsMax` events. If that is `nil`, its size
  /// does not matter. An erasure begins a new group, because what it destroys is determined from
  /// committed events.
  ///
  /// - Parameter leavesLarge: Whether a large batch behind which none waits begins a new group. A
  ///   caller with two batches on their way prepares one while the other is written; if both were
  ///   one group, the writer would then have nothing to do.
  private func take(eventsMax: Int?, leavesLarge: Bool) -> PendingAppend? {
    waiting.withLock { waiting in
      guard waiting.taken < waiting.batches.count else { return nil }
      let next = waiting.batches[waiting.taken]
      if let eventsMax {
        if next.batch.count > eventsMax || next.erasure != nil { return nil }
        let isLast = waiting.taken + 1 == waiting.batches.count
        if leavesLarge, isLast, next.batch.count >= Self.largeEventsMin { return nil }
      }
      waiting.taken += 1
      // The array is kept short. Otherwise, a queue that is never empty would keep every batch.
      if waiting.taken >= 64 {
        waiting.batches.removeFirst(waiting.taken)
        waiting.taken = 0
      }
      return next
    }
  }
}
