internal import Foundation
internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Answers questions about a ledger from the projections and from the log's later events, which it
/// folds in memory. It never writes.
///
/// Safe to use from any thread; questions are answered one at a time.
public final class LedgerReader: Sendable {
  private let log: EventLog
  private let source: ProjectionSource
  private let lock = NSLock()
  private let held = HeldTail()

  init(_ log: EventLog, _ source: ProjectionSource) {
    self.log = log
    self.source = source
  }

  /// Answers from everything that is in the log now.
  ///
  /// - Complexity: O(*k*) in the number of events since the last question.
  /// - Throws: ``LedgerError``: `rebuildNeeded` if the projections are missing or too far behind,
  ///   and what `body` throws.
  public func read<Value>(
    _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return try answer(held, body)
  }

  /// Releases what is kept between questions.
  func release() {
    lock.lock()
    held.clear()
    lock.unlock()
  }

  private func answer<Value>(
    _ held: HeldTail, _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    guard let projections = try source.live() else { throw .projectionsMissing }
    // The projections' snapshot comes first, so that the log's contains everything up to its
    // checkpoint.
    let reading = try projections.beginRead()
    let snapshot = try log.snapshot()
    let view = try snapshot.view
    let reader = try held.catchUp(log, projections, reading.view, view)
    defer {
      reader.recent = RecentUnits()
      if reader.texts.failure != nil { held.clear() }
    }
    let answer = try body(
      LedgerView(
        log: view, projections: reading.view, tables: projections.tables, reader: reader))
    // No answer may depend on a text that could not be read, even if the question did not check.
    try reader.texts.check()
    return answer
  }
}
