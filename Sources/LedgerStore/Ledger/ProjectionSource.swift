internal import LedgerEvents
internal import Synchronization

/// The projections of the live generation, opened once per process and shared by folds and
/// questions.
final class ProjectionSource: Sendable {
  private let log: EventLog
  private let current = Mutex<Projections?>(nil)
  /// The checkpoint that the log has confirmed, so that it is checked only once.
  private let confirmed = Mutex<Checkpoint?>(nil)

  init(_ log: EventLog) { self.log = log }

  /// The live generation; nil if there is none to read.
  ///
  /// A process that may write creates it if it is missing: deleted projections are folded again.
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

  /// Releases projections whose files were deleted while they were open, so that new ones are made.
  func releaseIfDeleted() {
    current.withLock { current in
      if let open = current, !Projections.exist(open.generation, of: log) { current = nil }
    }
  }

  /// Whether questions still use these projections.
  func isCurrent(_ projections: Projections) -> Bool { current.withLock { $0 === projections } }

  /// Releases the open generation, so that another can replace it.
  func release() { current.withLock { $0 = nil } }

  private func open(_ generation: UInt64) throws(LedgerError) -> Projections? {
    guard generation > 0 else { return nil }
    if log.access == .readWrite { return try Projections.make(generation, of: log) }
    return try Projections.open(generation, of: log)
  }
}
