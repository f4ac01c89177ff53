internal import Dispatch
internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// A batch that waits for the writer, and how its caller is answered.
struct PendingAppend: Sendable {
  let batch: PreparedBatch
  let condition: AppendCondition?
  /// Of an erasure: what it destroys.
  var erasure: ErasureCheck?
  let answer: @Sendable (Result<AppendResult, LedgerError>) -> Void
}

/// What the projections give the writer.
struct WriterHooks: Sendable {
  var index: @Sendable () throws(LedgerError) -> any LogIndex = { EmptyLogIndex() }
  /// Told why the index was not asked any more, before the log is read instead.
  var indexFailed: @Sendable (LedgerError) -> Void = { _ in }
  var consumption: ConsumptionCheck?
}

/// The one writer of a process: takes what waits, group after group, on a queue of its own, never
/// on a thread of Swift's cooperative pool.
///
/// While a group is on its way to the disk the next one gathers; nobody waits for a group to fill.
final class LogWriter: Sendable {
  private struct Waiting {
    var batches: [PendingAppend] = []
    /// Those before this index have been taken.
    var taken = 0
    var isDraining = false
    var hooks = WriterHooks()
  }

  private let waiting = Mutex(Waiting())
  private let appender: Mutex<LogAppender>
  private let queue = DispatchQueue(label: "daybook.log.writer")
  let signal = AppendSignal()

  init(
    environment: Environment, tables: LogTables, keyHash: KeyHash, roots: RootKeeper,
    clock: @escaping @Sendable () -> Instant
  ) {
    appender = Mutex(
      LogAppender(
        environment: environment, tables: tables, keyHash: keyHash, roots: roots, clock: clock))
  }

  /// Puts a batch behind those that wait; its caller is answered when it is durable or refused.
  func enqueue(_ pending: PendingAppend) {
    let starts = waiting.withLock { waiting in
      waiting.batches.append(pending)
      defer { waiting.isDraining = true }
      return !waiting.isDraining
    }
    if starts { queue.async { self.drain() } }
  }

  /// Holds the writer back while `body` puts batches behind each other, so that they are one group
  /// however long they take.
  func whileHeld<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // A group that was answered may still be on its way out.
    queue.sync { appender.withLock { $0.timeMax = .seconds(3_600) } }
    queue.suspend()
    defer { queue.resume() }
    return try body()
  }

  /// Sets what the projections provide, from the next group on.
  func setHooks(_ change: @Sendable (inout WriterHooks) -> Void) {
    waiting.withLock { waiting in change(&waiting.hooks) }
  }

  /// The bytes of memory and the entries of the tail: what the index does not hold yet.
  func tailSize() -> (entries: Int, bytes: Int) { appender.withLock { $0.tailSize } }

  /// Commits group after group until nothing waits.
  private func drain() {
    while let hooks = beginGroup() {
      let answers = appender.withLock { appender in
        appender.commitGroup(hooks) { self.take(eventsMax: $0) }
      }
      signal.notify()
      for (answer, result) in answers { answer(result) }
    }
  }

  private func beginGroup() -> WriterHooks? {
    waiting.withLock { waiting in
      guard waiting.taken < waiting.batches.count else {
        waiting.batches.removeAll(keepingCapacity: true)
        waiting.taken = 0
        waiting.isDraining = false
        return nil
      }
      return waiting.hooks
    }
  }

  /// The next batch, if it has no more events than `eventsMax`, or whatever it has where that is
  /// nil. An erasure begins a group of its own: what it destroys is asked of what is committed.
  private func take(eventsMax: Int?) -> PendingAppend? {
    waiting.withLock { waiting in
      guard waiting.taken < waiting.batches.count else { return nil }
      let next = waiting.batches[waiting.taken]
      if let eventsMax, next.batch.count > eventsMax || next.erasure != nil { return nil }
      waiting.taken += 1
      // Kept short, so that a queue that never runs dry does not keep every batch it has seen.
      if waiting.taken >= 64 {
        waiting.batches.removeFirst(waiting.taken)
        waiting.taken = 0
      }
      return next
    }
  }
}
