internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// The projections of the live generation, opened once per process and shared by folds and
/// questions.
final class ProjectionSource: Sendable {
  private let log: EventLog
  private let current = Mutex<Projections?>(nil)
  /// The checkpoint that the log has confirmed, so that it is checked only once.
  private let confirmed = Mutex<Checkpoint?>(nil)

  /// What is wrong with a generation that is no longer read.
  private struct Damage {
    let generation: UInt64
    let what: String
  }

  private let damage = Mutex<Damage?>(nil)

  init(_ log: EventLog) { self.log = log }

  /// The live generation; `nil` if there is none to read.
  ///
  /// A process that may write creates it if it is missing: deleted projections are folded again.
  func live() throws(LedgerError) -> Projections? {
    var generation = try generation()
    while true {
      if let open = current.withLock({ $0 }), open.generation == generation { return open }
      let result = opened(generation)
      // A rebuild of another process deletes the generation that it replaces. If that happened
      // since the number was read, there is none to open, or an empty one was made in its place.
      let newest = try self.generation()
      if newest == generation { return try result.get() }
      generation = newest
    }
  }

  private func opened(_ generation: UInt64) -> Result<Projections?, LedgerError> {
    current.withLock { current in
      // A newer one has replaced this one since its number was read. To go back would drop the
      // newer one while others use it, and it cannot be opened twice.
      if let current, current.generation >= generation { return .success(current) }
      do throws(LedgerError) {
        current = nil
        current = try open(generation)
        return .success(current)
      } catch {
        note(error, of: generation)
        return .failure(error)
      }
    }
  }

  /// The number of the live generation, 0 before the first.
  func generation() throws(LedgerError) -> UInt64 {
    try log.read { (view) throws(LedgerError) in try view.generation() }
  }

  /// Remembers a generation that is damaged, so that nothing in this process reads it again.
  func note(_ error: LedgerError, of generation: UInt64) {
    guard let what = error.projectionDamage else { return }
    damage.withLock { $0 = Damage(generation: generation, what: what) }
  }

  /// What is known to be wrong with the live generation.
  func liveDamage() throws(LedgerError) -> String? {
    guard let known = damage.withLock({ $0 }) else { return nil }
    return known.generation == (try generation()) ? known.what : nil
  }

  /// The index of ids and names for the log's writer, from projections that the log confirms. With
  /// those of another log, a known id would pass for a new one.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if the log does not confirm them, or if they are
  ///   damaged; the writer then works without an index.
  func index() throws(LedgerError) -> any LogIndex {
    if try liveDamage() != nil { return EmptyLogIndex() }
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

  /// Whether the disk failed in a way that keeps this process from writing the projections.
  var hasFailed: Bool { current.withLock { $0?.environment.isFailed ?? false } }

  /// Whether questions still use these projections.
  func isCurrent(_ projections: Projections) -> Bool { current.withLock { $0 === projections } }

  /// Takes over a generation that is about to be live. From now on it is the one that is read.
  ///
  /// It must be complete. Whoever made it keeps it open, and nobody could open it a second time.
  ///
  /// - Returns: The generation that was read until now, to be adopted again if the switch fails.
  @discardableResult
  func adopt(_ projections: Projections?) -> Projections? {
    current.withLock { exchange(&$0, with: projections) }
  }

  /// Releases the open generation, so that another can replace it.
  func release() { current.withLock { $0 = nil } }

  private func open(_ generation: UInt64) throws(LedgerError) -> Projections? {
    guard generation > 0 else { return nil }
    if log.access == .readWrite { return try Projections.make(generation, of: log) }
    return try Projections.open(generation, of: log)
  }
}
