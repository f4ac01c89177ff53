internal import Synchronization

/// How far an export has come, for whoever waits for it, and whether it is to go on.
///
/// Several threads make rows. What is said is how far all of them have come.
final class ExportProgress: Sendable {
  private struct State {
    /// The tables that one thread makes, and how many events it has looked at.
    var parts: [(tables: [ExportTable], done: UInt64)] = []
    var total: UInt64 = 0
    /// What was said last.
    var said: UInt64 = 0
    var isStopped = false
  }

  /// How many rows of a table are made or read between two reports.
  private static let rowsBetweenReports = 1_000

  private let state = Mutex(State())
  private let body: @Sendable (LedgerExport.Progress) -> Bool

  init(_ body: @escaping @Sendable (LedgerExport.Progress) -> Bool) { self.body = body }

  /// Begins to make the rows of events up to a position: each part on a thread.
  func begin(_ parts: [[ExportTable]], upTo end: UInt64) {
    state.withLock { state in
      state.parts = parts.map { ($0, 0) }
      state.total = end
    }
  }

  /// Notes that a thread has made all rows of its tables.
  func end(part: Int) { state.withLock { $0.parts[part].done = $0.total } }

  /// Lets every later report throw.
  func stop() { state.withLock { $0.isStopped = true } }

  /// Says now and then that a row was made.
  ///
  /// - Parameter done: How many events have been looked at for the rows of the table.
  /// - Throws: ``ExportError``: `interrupted` if the export is to stop.
  func report(rows: Int, of table: ExportTable, _ done: UInt64) throws(ExportError) {
    guard rows % Self.rowsBetweenReports == 0 else { return }
    try say { state in
      for part in state.parts.indices where state.parts[part].tables.contains(table) {
        state.parts[part].done = max(state.parts[part].done, done)
      }
      state.said = max(state.said, state.parts.lazy.map(\.done).min() ?? 0)
      return .init(phase: .reading(table), done: state.said, total: state.total)
    }
  }

  /// Says now and then that a row was read back.
  ///
  /// - Throws: ``ExportError``: `interrupted` if the export is to stop.
  func reportChecked(rows: Int, of total: Int) throws(ExportError) {
    guard rows % Self.rowsBetweenReports == 0 else { return }
    try say { _ in .init(phase: .checking, done: UInt64(rows), total: UInt64(total)) }
  }

  /// Calls the body under the lock, so that it is called once at a time.
  private func say(
    _ progress: (inout State) -> LedgerExport.Progress
  ) throws(ExportError) {
    let goesOn = state.withLock { state in
      if !state.isStopped { state.isStopped = !body(progress(&state)) }
      return !state.isStopped
    }
    guard goesOn else {
      throw ExportError(.interrupted, "It was stopped: nothing was exported.")
    }
  }
}
