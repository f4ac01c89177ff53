internal import LMDB
internal import LedgerEvents
internal import RunStorage
internal import Synchronization

/// Says at once that a key is in no run, which it is in most questions of an append: every new id
/// is one that the ledger does not have.
///
/// Made in memory once it pays: reading all keys of the runs costs about as much as a fiftieth of
/// them looked up in vain. What this process folds is added as it goes; when another process has
/// folded, it is made again.
final class AbsenceFilter: Sendable {
  private struct State {
    var filter: KeyFilter?
    /// What the runs reached when the filter was last complete.
    var reach: UInt64 = 0
    /// Keys asked for since there is no filter.
    var asked = 0
  }

  /// Entries of the runs for each key asked in vain before a filter pays.
  private static let entriesPerQuestion = 50

  private let state = Mutex(State())

  /// The places in `keys` of those that the runs may hold.
  ///
  /// - Parameter reach: How far the runs reach in `view`.
  /// - Complexity: O(*k*) for *k* keys; once in a while O(*n*) in the entries of the runs.
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

  /// Adds what is about to be added to the runs, which reached `before` and will reach `reach`.
  func insert(_ entries: [RunEntry], before: UInt64, reach: UInt64) {
    state.withLock { state in
      // Not the filter itself: a second reference would make `insert` copy it.
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
