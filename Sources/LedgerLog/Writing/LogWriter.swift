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
  var index: @Sendable () throws(LedgerError) -> any KeyIndex = { EmptyKeyIndex() }
  var consumption: ConsumptionCheck?
}

/// The one writer of a process: takes what waits, group after group, on a thread of its own, never
/// on one of Swift's cooperative pool.
///
/// While a group is on its way to the disk the next one gathers; nobody waits for a group to fill.
final class LogWriter: Sendable {
  private struct Queue {
    var waiting: [PendingAppend] = []
    /// Those before this index have been taken.
    var taken = 0
    var isDraining = false
    var hooks = WriterHooks()
  }

  private let queue = Mutex(Queue())
  private let appender: Mutex<LogAppender>
  private let thread = DispatchQueue(label: "daybook.log.writer")
  let signal = AppendSignal()

  init(
    environment: Environment, tables: LogTables, keyHash: KeyHash,
    clock: @escaping @Sendable () -> Instant
  ) {
    appender = Mutex(
      LogAppender(environment: environment, tables: tables, keyHash: keyHash, clock: clock))
  }

  /// Puts a batch behind those that wait; its caller is answered when it is durable or refused.
  func enqueue(_ pending: PendingAppend) {
    let starts = queue.withLock { queue in
      queue.waiting.append(pending)
      defer { queue.isDraining = true }
      return !queue.isDraining
    }
    if starts { thread.async { self.drain() } }
  }

  /// Sets what the projections provide, from the next group on.
  func setHooks(_ change: @Sendable (inout WriterHooks) -> Void) {
    queue.withLock { queue in change(&queue.hooks) }
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
    queue.withLock { queue in
      guard queue.taken < queue.waiting.count else {
        queue.waiting.removeAll(keepingCapacity: true)
        queue.taken = 0
        queue.isDraining = false
        return nil
      }
      return queue.hooks
    }
  }

  /// The next batch, if it has no more events than `eventsMax`, or whatever it has where that is
  /// nil. An erasure begins a group of its own: what it destroys is asked of what is committed.
  private func take(eventsMax: Int?) -> PendingAppend? {
    queue.withLock { queue in
      guard queue.taken < queue.waiting.count else { return nil }
      let next = queue.waiting[queue.taken]
      if let eventsMax, next.batch.count > eventsMax || next.erasure != nil { return nil }
      queue.taken += 1
      // Kept short, so that a queue that never runs dry does not keep every batch it has seen.
      if queue.taken >= 64 {
        queue.waiting.removeFirst(queue.taken)
        queue.taken = 0
      }
      return next
    }
  }
}
