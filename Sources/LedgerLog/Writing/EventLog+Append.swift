internal import Dispatch
public import LedgerEvents
internal import Synchronization

extension EventLog {
  /// Appends a batch as a whole: when this returns, all of it is durable.
  ///
  /// An event whose id and content are in the log already is answered with its first position. An
  /// id that stands there with other content refuses the batch, and nothing of it is written.
  ///
  /// - Complexity: one durable commit, shared with whatever other batches wait at the same time.
  /// - Throws: ``LedgerError``: `conflict`, `conditionFailed`, `notCovered`, `invalidEvent`,
  ///   `batchTooLarge`, `limitReached`, `rebuildNeeded`, `full`, `readOnly`, `io`; after
  ///   `outcomeUnknown` the log has to be opened again, and the batch appended again: it is not
  ///   doubled.
  @discardableResult
  public func append(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) async throws(LedgerError) -> AppendResult {
    let prepared = try prepare(batch, options)
    let result = await withCheckedContinuation { continuation in
      writer.enqueue(
        PendingAppend(batch: prepared, condition: options.condition) {
          continuation.resume(returning: $0)
        })
    }
    return try result.get()
  }

  /// Appends a batch as `append` does, and blocks the calling thread meanwhile.
  ///
  /// - Complexity: as `append`.
  /// - Throws: as `append`.
  @available(*, noasync, message: "blocks its thread; use append")
  @discardableResult
  public func appendAndWait(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendResult {
    try submit(batch, options: options).wait()
  }

  /// Hands a batch to the writer and goes on; the ticket tells what became of it.
  ///
  /// A caller that reads from a file prepares its next batch while this one is on its way to the
  /// disk. Batches submitted by one thread are appended in their order.
  ///
  /// - Throws: ``LedgerError`` for what is wrong with the batch itself.
  @available(*, noasync, message: "the ticket blocks its thread; use append")
  public func submit(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendTicket {
    let prepared = try prepare(batch, options)
    let ticket = AppendTicket()
    writer.enqueue(
      PendingAppend(batch: prepared, condition: options.condition) { ticket.settle($0) })
    return ticket
  }

  /// Holds the writer back while `body` submits batches, so that they are one group: without that,
  /// a group is whatever happens to wait.
  ///
  /// - Parameter body: Submits batches, and does not wait for a ticket.
  package func whileWriterIsHeld<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try writer.whileHeld(body)
  }

  /// Appends an event and destroys what identifies whom it erases.
  ///
  /// - Parameter scope: Asked for what that is, by the writer, which holds the log's lock: whatever
  ///   is committed then is in it, and all that comes later knows of the erasure.
  package func eraseAndWait(
    _ event: EventInput, _ scope: @escaping ErasureCheck
  ) throws(LedgerError) -> AppendOutcome {
    let prepared = try prepare([event], AppendOptions())
    let ticket = AppendTicket()
    writer.enqueue(
      PendingAppend(batch: prepared, condition: nil, erasure: scope) { ticket.settle($0) })
    return try ticket.wait().outcomes[0]
  }

  /// Gives the writer an index of ids and names, asked for anew before each group.
  ///
  /// Without one every id and name is held in memory, read from the log before the first append.
  ///
  /// - Parameters:
  ///   - index: Gives the index. When it, or what it gives, throws `rebuildNeeded`, the writer
  ///     finds ids and names in the log itself: that takes longer, and nothing is missed.
  ///   - failed: Called with that error, on the writer's thread.
  package func useIndex(
    _ index: @escaping @Sendable () throws(LedgerError) -> any LogIndex,
    failed: @escaping @Sendable (LedgerError) -> Void = { _ in }
  ) {
    writer.setHooks { hooks in
      hooks.index = index
      hooks.indexFailed = failed
    }
  }

  /// Gives the writer the judge of required consumptions; without one they are refused.
  package func useConsumptionCheck(_ check: @escaping ConsumptionCheck) {
    writer.setHooks { $0.consumption = check }
  }

  private func prepare(
    _ batch: [EventInput], _ options: AppendOptions
  ) throws(LedgerError) -> PreparedBatch {
    guard access == .readWrite else {
      throw LedgerError(.readOnly, "The ledger was opened for reading: open it to append.")
    }
    return try PreparedBatch(batch, options, identity.keyHash, try tables.texts.keys?.head())
  }
}

/// The answer to a submitted batch, once there is one.
public final class AppendTicket: Sendable {
  private let result = Mutex<Result<AppendResult, LedgerError>?>(nil)
  private let settled = DispatchSemaphore(value: 0)

  package func settle(_ result: Result<AppendResult, LedgerError>) {
    self.result.withLock { $0 = result }
    settled.signal()
  }

  /// Waits until the batch is durable or refused.
  ///
  /// - Throws: as ``EventLog/append(_:options:)``.
  @available(*, noasync, message: "blocks its thread")
  public func wait() throws(LedgerError) -> AppendResult {
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      settled.wait()
    }
  }
}
