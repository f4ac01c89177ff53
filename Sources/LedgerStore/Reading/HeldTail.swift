internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The log's tail as of the last question, with the projections that it follows.
///
/// Its owner protects it with a lock: several threads use it, one at a time.
final class HeldTail: @unchecked Sendable {
  private var projections: Projections?
  private var reader: ReaderState?

  /// Brings the tail up to date with two snapshots, of which the projections' was taken first.
  ///
  /// - Complexity: O(*k*) in the number of events since the last question.
  func catchUp(
    _ log: EventLog, _ projections: Projections, _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) -> ReaderState {
    if self.projections !== projections {
      self.projections = projections
      reader = nil
    }
    let tables = projections.tables
    let stored = try Checkpoint(reading, tables)
    if reader == nil || (stored != nil && reader?.overlay.checkpoint != stored) {
      reader = nil
      reader = try ReaderState(log, projections, reading, view)
    }
    guard let reader else { throw .projectionsMissing }
    do throws(LedgerError) {
      try reader.overlay.extend(
        through: view.lastPosition, view, log.identity.keyHash, tables, reading)
    } catch {
      // The tail may contain part of a batch.
      clear()
      throw error
    }
    return reader
  }

  /// The most events that somebody adds to the tail who must not wait: a fraction of a millisecond.
  static let nearEventsMax: UInt64 = 64

  /// Whether the tail follows these projections, and few events are missing in it.
  func isNear(
    _ projections: Projections, _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) -> Bool {
    guard self.projections === projections, let overlay = reader?.overlay,
      overlay.checkpoint == (try Checkpoint(reading, projections.tables))
    else { return false }
    return view.lastPosition <= overlay.through + Self.nearEventsMax
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
