internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The log's tail as of the last question, with the projections that it follows.
///
/// Its owner protects it with a lock: several threads use it, one at a time.
final class HeldTail: @unchecked Sendable {
  private var projections: Projections?
  private var reader: ReaderState?

  /// The most events that are added for somebody who must not wait.
  static let nearEventsMax: UInt64 = 64

  /// Brings the tail up to date with two snapshots, of which the projections' was taken first.
  ///
  /// - Complexity: O(*k*) in the number of events since the last question.
  func catchUp(
    _ log: EventLog, _ projections: Projections, _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) -> ReaderState {
    if let reader = try following(projections, reading) {
      return try extend(reader, log, projections, reading, view)
    }
    clear()
    guard let begun = try ReaderState(log, projections, reading, view) else {
      throw .projectionsMissing
    }
    (self.projections, reader) = (projections, begun)
    return try extend(begun, log, projections, reading, view)
  }

  /// Does the same, unless more than `eventsMax` events are missing in the tail; then it returns
  /// `nil`.
  func catchUp(
    _ log: EventLog, _ projections: Projections, _ reading: TransactionView, _ view: LogView,
    eventsMax: UInt64
  ) throws(LedgerError) -> ReaderState? {
    var end = try following(projections, reading)?.overlay.through
    if end == nil { end = try Checkpoint(reading, projections.tables)?.position }
    if let end, view.lastPosition > end, view.lastPosition - end > eventsMax { return nil }
    return try catchUp(log, projections, reading, view)
  }

  /// Does the same, unless the tail has to begin afresh, or many events are missing in it; then it
  /// returns `nil`.
  func catchUpIfNear(
    _ log: EventLog, _ projections: Projections, _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) -> ReaderState? {
    guard let reader = try following(projections, reading),
      view.lastPosition <= reader.overlay.through + Self.nearEventsMax
    else { return nil }
    return try extend(reader, log, projections, reading, view)
  }

  /// What is held, if it follows these projections where they end now.
  private func following(
    _ projections: Projections, _ reading: TransactionView
  ) throws(LedgerError) -> ReaderState? {
    guard self.projections === projections, let reader else { return nil }
    let stored = try Checkpoint(reading, projections.tables)
    return stored == nil || reader.overlay.checkpoint == stored ? reader : nil
  }

  private func extend(
    _ reader: ReaderState, _ log: EventLog, _ projections: Projections,
    _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) -> ReaderState {
    do throws(LedgerError) {
      try reader.overlay.extend(
        through: view.lastPosition, view, log.identity.keyHash, projections.tables, reading)
    } catch {
      // The tail may contain part of a batch.
      clear()
      throw error
    }
    return reader
  }

  /// Forgets everything, if it has events after the projections.
  func clearUnlessEmpty() {
    if let reader, !reader.overlay.isEmpty { clear() }
  }

  /// Forgets everything.
  func clear() {
    projections = nil
    reader = nil
  }
}

extension LedgerError {
  /// The error if there are no projections to answer from.
  static var projectionsMissing: LedgerError {
    LedgerError(
      .rebuildNeeded,
      """
      The projections of this ledger are missing or of another version: run `daybook rebuild`, or \
      append something.
      """)
  }
}
