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
  /// - Parameters:
  ///   - eventsMax: How many events may be missing in it.
  ///   - beginsAfresh: Whether it may begin at the end of the projections, if it follows others or
  ///     these have advanced.
  /// - Returns: The tail; `nil` if it may not be brought up to date.
  /// - Complexity: O(*k*) in the number of events since the last question.
  func catchUp(
    _ log: EventLog, _ projections: Projections, _ reading: TransactionView, _ view: LogView,
    eventsMax: UInt64 = .max, beginsAfresh: Bool = true
  ) throws(LedgerError) -> ReaderState? {
    var found = try following(projections, reading)
    if found == nil {
      guard beginsAfresh else { return nil }
      clear()
      found = try ReaderState(log, projections, reading, view)
      (self.projections, self.reader) = (projections, found)
    }
    guard let reader = found else { throw .projectionsMissing }
    let through = reader.overlay.through
    guard view.lastPosition <= through || view.lastPosition - through <= eventsMax else {
      return nil
    }
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

  /// What is held, if it follows these projections where they end now.
  private func following(
    _ projections: Projections, _ reading: TransactionView
  ) throws(LedgerError) -> ReaderState? {
    guard self.projections === projections, let reader else { return nil }
    let stored = try Checkpoint(reading, projections.tables)
    return stored == nil || reader.overlay.checkpoint == stored ? reader : nil
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
