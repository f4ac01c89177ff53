internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Answers questions about a ledger from the projections and from the log's later events, which it
/// folds in memory. It never writes.
///
/// Safe to use from any thread. Several questions are answered at the same time, unless many events
/// wait to be folded: these are folded in memory once, and questions about them take turns.
public final class LedgerReader: Sendable {
  private let log: EventLog
  private let source: ProjectionSource
  private let tails = HeldTails()

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
    var mustBeFirst = false
    while true {
      let found = try tails.withTail(mustBeFirst: mustBeFirst) {
        (tail, isSpare) throws(LedgerError) in
        try answer(tail, eventsMax: isSpare ? HeldTails.spareEventsMax : .max, body)
      }
      if let found { return found }
      mustBeFirst = true
    }
  }

  /// Releases what is kept between questions, once those that are being asked are answered.
  func release() { tails.release() }

  /// Answers with a tail; `nil` if more than `eventsMax` events are missing in it.
  private func answer<Value>(
    _ tail: HeldTail, eventsMax: UInt64, _ body: (LedgerView) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value? {
    guard let projections = try source.live() else { throw .projectionsMissing }
    // The projections' snapshot comes first, so that the log's contains everything up to its
    // checkpoint.
    let reading = try projections.beginRead()
    let snapshot = try log.snapshot()
    let view = try snapshot.view
    let caughtUp = try tail.catchUp(log, projections, reading.view, view, eventsMax: eventsMax)
    guard let reader = caughtUp else { return nil }
    defer {
      reader.recent = RecentUnits()
      if reader.texts.failure != nil { tail.clear() }
    }
    let answer = try body(
      LedgerView(
        log: view, projections: reading.view, tables: projections.tables, reader: reader))
    // No answer may depend on a text that could not be read, even if the question did not check.
    try reader.texts.check()
    return answer
  }
}
