internal import LMDB

/// Writes the blocks of one run, in order.
struct RunWriter {
  /// The part of the run that has been written.
  private(set) var run: RunDescription

  /// The entries to write next, sorted and distinct.
  var pending: [RunEntry] = []

  private let table: Table
  private var words: [UInt64] = []

  init(_ table: Table, run: RunDescription) {
    self.table = table
    self.run = run
  }

  /// Writes the full blocks of the pending entries, and also the rest if `isLast` is true.
  ///
  /// - Complexity: O(*n*) in the number of pending entries.
  mutating func write(
    in transaction: inout WriteTransaction, isLast: Bool
  ) throws(RunsError) {
    var start = 0
    while start < pending.count {
      let count = RunBlock.fit(pending, from: start)
      // A block states where the next one begins, so it is written only when that is known.
      guard isLast || start + count < pending.count else { break }
      RunBlock.encode(pending, from: start, count: count, of: run.id, into: &words)
      let key = RunKey(run: run.id, order: pending[start].order).words
      do throws(LMDBError) {
        try transaction.put(table, key.span.wordBytes, words.span.wordBytes)
      } catch { throw RunsError(error) }
      if run.entries == 0 { run.first = pending[start].key }
      start += count
      run.last = pending[start - 1]
      run.blocks += 1
      run.entries += UInt64(count)
      run.bytes += UInt64(words.count * 8)
    }
    pending.removeFirst(start)
  }
}
