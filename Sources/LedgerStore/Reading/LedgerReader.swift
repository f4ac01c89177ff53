internal import Foundation
internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Answers questions about a ledger: from the projections, and from what stands behind them in the
/// log, folded in memory. It never writes.
///
/// Safe to use from any thread; questions are answered one at a time.
public final class LedgerReader: Sendable {
  private let log: EventLog
  private let source: ProjectionSource
  private let lock = NSLock()
  private let held = Held()

  /// Everything behind the lock: handed from thread to thread, used by one at a time.
  private final class Held: @unchecked Sendable {
    var projections: Projections?
    var reader: ReaderState?
  }

  init(_ log: EventLog, _ source: ProjectionSource) {
    self.log = log
    self.source = source
  }

  /// Answers with the newest that is in the log.
  ///
  /// - Complexity: O(*k*) in the number of events since the last question.
  /// - Throws: ``LedgerError``: `rebuildNeeded` where the projections are missing or too far
  ///   behind, and what `body` throws.
  public func read<Value>(
    _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return try answer(held, body)
  }

  private func answer<Value>(
    _ held: Held, _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    guard let projections = try source.live() else { throw Self.missing }
    if held.projections !== projections {
      held.projections = projections
      held.reader = nil
    }
    // The projections' snapshot first: what it ends with is in the log's, taken after it.
    let reading = try projections.beginRead()
    let snapshot = try log.snapshot()
    let view = try snapshot.view
    let reader: ReaderState
    do throws(LedgerError) { reader = try catchUp(held, projections, reading.view, view) } catch {
      // It may have taken in half of what is new.
      held.reader = nil
      throw error
    }
    defer { if reader.texts.failure != nil { held.reader = nil } }
    return try body(
      LedgerView(
        log: view, projections: reading.view, tables: projections.tables, reader: reader))
  }

  /// The overlay over these two snapshots.
  private func catchUp(
    _ held: Held, _ projections: Projections, _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) -> ReaderState {
    let tables = projections.tables
    let stored = try Checkpoint(reading, tables)
    let kept = held.reader?.overlay.checkpoint
    if kept == nil || kept != (stored ?? kept) {
      held.reader = try ReaderState(log, projections, reading, view)
    }
    guard let reader = held.reader else { throw Self.missing }
    try reader.overlay.extend(
      through: view.lastPosition, view, reader.texts, log.identity.keyHash, tables, reading)
    return reader
  }

  private static var missing: LedgerError {
    LedgerError(
      .rebuildNeeded,
      """
      The projections of this ledger are missing or of another version: run `daybook rebuild`, or \
      append something.
      """)
  }
}
