internal import LedgerEvents
internal import Synchronization

/// The projections of the live generation, opened once a process and shared by those who fold and
/// those who ask.
final class ProjectionSource: Sendable {
  private let log: EventLog
  private let current = Mutex<Projections?>(nil)
  /// What the log has confirmed, so that it is asked once for each checkpoint.
  private let confirmed = Mutex<Checkpoint?>(nil)

  init(_ log: EventLog) { self.log = log }

  /// The live generation; nil where there is none to read.
  ///
  /// A process that may write makes it where it is missing: what was deleted is folded anew.
  func live() throws(LedgerError) -> Projections? {
    let generation = try log.read { (view) throws(LedgerError) in try view.generation() }
    let result: Result<Projections?, LedgerError> = current.withLock { current in
      if let current, current.generation == generation { return .success(current) }
      do throws(LedgerError) {
        current = nil
        current = try open(generation)
        return .success(current)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// The index of ids and names for the log's writer, of projections that the log confirms: with
  /// those of another log an id that is there would pass for a new one.
  func index() throws(LedgerError) -> any LogIndex {
    guard let projections = try live() else { return EmptyLogIndex() }
    let index = try ProjectionKeyIndex(projections)
    guard let found = index.checkpoint, confirmed.withLock({ $0 }) != found else { return index }
    let isConfirmed = try log.read { (view) throws(LedgerError) in
      try found.isConfirmed(by: view, log.identity)
    }
    guard isConfirmed else { throw Checkpoint.unconfirmed }
    confirmed.withLock { $0 = found }
    return index
  }

  /// Lets go of projections whose files were deleted under them, so that they are made anew.
  func releaseIfDeleted() {
    current.withLock { current in
      if let open = current, !Projections.exist(open.generation, of: log) { current = nil }
    }
  }

  /// Whether these are still the ones that questions are asked of.
  func isCurrent(_ projections: Projections) -> Bool { current.withLock { $0 === projections } }

  /// Lets go of the generation that is open, so that another takes its place.
  func release() { current.withLock { $0 = nil } }

  private func open(_ generation: UInt64) throws(LedgerError) -> Projections? {
    guard generation > 0 else { return nil }
    if log.access == .readWrite { return try Projections.make(generation, of: log) }
    return try Projections.open(generation, of: log)
  }
}
