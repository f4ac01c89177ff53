internal import Dispatch
public import LedgerEvents
internal import Synchronization

extension EventLog {
  /// Appends a batch as a whole. When this returns, all of it is durable.
  ///
  /// An event whose id and content are already in the log is a duplicate, and its outcome is its
  /// first position. If its id is in the log with other content, the batch is rejected, and nothing
  /// of it is written.
  ///
  /// - Complexity: One durable commit, which other waiting batches share.
  /// - Throws: ``LedgerError``: `conflict`, `conditionFailed`, `notCovered`, `invalidEvent`,
  ///   `batchTooLarge`, `limitReached`, `keysMissing`, `rebuildNeeded`, `full`, `readOnly`, `io`.
  ///   After `outcomeUnknown`, open the log again and append the batch again: no event is doubled.
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

  /// Appends a batch like ``append(_:options:)``, and blocks the calling thread meanwhile.
  ///
  /// - Complexity: As ``append(_:options:)``.
  /// - Throws: As ``append(_:options:)``.
  @available(*, noasync, message: "blocks its thread; use append")
  @discardableResult
  public func appendAndWait(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendResult {
    let prepared = try prepare(batch, options)
    let ticket = AppendTicket()
    writer.enqueueAndLead(
      PendingAppend(batch: prepared, condition: options.condition) { ticket.fulfill($0) })
    return try ticket.wait()
  }

  /// Passes a batch to the writer and returns a ticket for the result.
  ///
  /// So a caller that reads from a file can prepare its next batch while this one is being written
  /// to the disk. Batches of one thread are appended in the order in which it submits them.
  ///
  /// - Throws: ``LedgerError``: `readOnly`, or what is wrong with the batch itself.
  @available(*, noasync, message: "the ticket blocks its thread; use append")
  public func submit(
    _ batch: [EventInput], options: AppendOptions = AppendOptions()
  ) throws(LedgerError) -> AppendTicket {
    let prepared = try prepare(batch, options)
    let ticket = AppendTicket()
    writer.enqueue(
      PendingAppend(batch: prepared, condition: options.condition) { ticket.fulfill($0) })
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

  /// Appends an erasure, with the list of the key slots that it destroys. The caller must then
  /// overwrite these slots in the key file.
  ///
  /// - Parameters:
  ///   - event: The event `account.erased`.
  ///   - scope: Returns what to destroy. The writer calls it while it holds the log's lock. So it
  ///     covers everything committed until then, and everything later knows of the erasure.
  package func eraseAndWait(
    _ event: EventInput, _ scope: @escaping ErasureCheck
  ) throws(LedgerError) -> AppendOutcome {
    let prepared = try prepare([event], AppendOptions())
    let ticket = AppendTicket()
    writer.enqueue(
      PendingAppend(batch: prepared, condition: nil, erasure: scope) { ticket.fulfill($0) })
    return try ticket.wait().outcomes[0]
  }

  /// Sets the writer's index of ids and names, which is requested again before each group.
  ///
  /// Without one, every id and name is kept in memory, and is read from the log before the first
  /// append.
  ///
  /// - Parameters:
  ///   - index: Returns the index. If it or the index throws an error, the writer finds ids and
  ///     names in the log itself. That takes longer, but misses nothing.
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

  /// Sets the check of required consumptions. Without one, batches with such events are rejected.
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

/// The future result of a submitted batch.
public final class AppendTicket: Sendable {
  private let result = Mutex<Result<AppendResult, LedgerError>?>(nil)
  private let fulfilled = DispatchSemaphore(value: 0)

  package func fulfill(_ result: Result<AppendResult, LedgerError>) {
    self.result.withLock { $0 = result }
    fulfilled.signal()
  }

  /// Waits until the batch is durable or rejected.
  ///
  /// - Throws: As ``EventLog/append(_:options:)``.
  @available(*, noasync, message: "blocks its thread")
  public func wait() throws(LedgerError) -> AppendResult {
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      fulfilled.wait()
      // One signal wakes one thread, which wakes the next one.
      fulfilled.signal()
    }
  }
}
