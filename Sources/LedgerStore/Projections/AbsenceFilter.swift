internal import LMDB
internal import LedgerEvents
internal import RunStorage
internal import Synchronization

/// Says at once that no run contains a key. That is the usual case when events are appended,
/// because every new id is one that the ledger does not have.
///
/// It is built in memory as soon as it pays: reading all keys of the runs costs about as much as
/// looking up a fiftieth of them in vain. Keys that this process folds are added to it. After
/// another process has folded, it is built again.
final class AbsenceFilter: Sendable {
  private struct State {
    var filter: KeyFilter?
    /// The reach of the runs when the filter was last complete.
    var reach: UInt64 = 0
    /// The number of keys looked up since there has been no filter.
    var asked = 0
  }

  /// A filter pays once one key has been looked up for this many entries of the runs.
  private static let entriesPerQuestion = 50

  private let state = Mutex(State())

  /// Returns the indices of those `keys` that the runs may contain.
  ///
  /// - Parameter reach: How far the runs reach in `view`.
  /// - Complexity: O(*k*) for *k* keys; occasionally O(*n*) in the entries of the runs.
  func candidates(
    _ keys: [UInt64], reach: UInt64, _ runs: RunsSnapshot, _ view: TransactionView
  ) throws(LedgerError) -> [Int] {
    let isDue = state.withLock { state in
      if state.filter != nil && state.reach >= reach { return false }
      state.filter = nil
      state.asked += keys.count
      return state.asked >= runs.entryCount / Self.entriesPerQuestion
    }
    if isDue {
      let made: KeyFilter
      do throws(RunsError) { made = try KeyFilter.build(of: runs, in: view) } catch {
        throw LedgerError(error)
      }
      state.withLock { $0 = State(filter: made, reach: reach) }
    }
    return state.withLock { state in
      guard let filter = state.filter else { return Array(keys.indices) }
      return keys.indices.filter { filter.mayContain(keys[$0]) }
    }
  }

  /// Adds entries that are about to be added to the runs, which reached `before` and will reach
  /// `reach`.
  func insert(_ entries: [RunEntry], before: UInt64, reach: UInt64) {
    state.withLock { state in
      // Do not hold the filter itself: with a second reference, `insert` would copy it.
      guard let isFull = state.filter?.isFull else { return }
      guard state.reach == before, !isFull else {
        state = State()
        return
      }
      for entry in entries { state.filter?.insert(entry.key) }
      state.reach = reach
    }
  }
}
