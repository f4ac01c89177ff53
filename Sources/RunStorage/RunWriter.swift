internal import LMDB

/// Writes the blocks of one run, in order.
struct RunWriter {
  /// The run as far as it is written.
  private(set) var run: RunDescription

  /// Entries that wait for a block, sorted and distinct.
  var pending: [RunEntry] = []

  private let table: Table
  private var words: [UInt64] = []

  init(_ table: Table, run: RunDescription) {
    self.table = table
    self.run = run
  }

  /// Writes the full blocks among the pending entries, and the rest too when `isLast`.
  ///
  /// - Complexity: O(*n*) in the pending entries.
  mutating func write(
    in transaction: inout WriteTransaction, isLast: Bool
  ) throws(RunsError) {
    var start = 0
    while start < pending.count {
      let count = RunBlock.fit(pending, from: start)
      // A block says where the next one begins, so it waits until that is known.
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
