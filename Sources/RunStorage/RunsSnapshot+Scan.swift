package import LMDB

extension RunsSnapshot {
  /// Calls `body` with the entries whose keys are from `lower` through `upper`, in order and
  /// without duplicates, until it returns false.
  ///
  /// - Complexity: O(*r* log *n*) to begin and O(log *r*) per entry, for *r* runs of *n* entries.
  /// - Parameters:
  ///   - lower: The least key.
  ///   - upper: The greatest key.
  ///   - view: The transaction to read in.
  ///   - body: Receives the entries. Returning false ends the scan.
  /// - Throws: ``RunsError`` as `Failure`, or the error of `body`.
  package func scan<Failure: RunsFailure>(
    from lower: UInt64 = 0, through upper: UInt64 = .max,
    in view: TransactionView, _ body: (RunEntry) throws(Failure) -> Bool
  ) throws(Failure) {
    guard lower <= upper else { return }
    let range = RunRange(lower: RunEntry(key: lower), upper: upper)
    var merge: RunMerge
    do throws(RunsError) {
      merge = try RunMerge(
        runs(from: lower, through: upper), of: table, range: range, in: view)
    } catch { throw Failure(error) }
    var entries: [RunEntry] = []
    var hasMore = true
    var chunk = 16
    while hasMore {
      entries.removeAll(keepingCapacity: true)
      do throws(RunsError) {
        hasMore = try merge.fill(&entries, upTo: chunk, in: view)
      } catch { throw Failure(error) }
      for entry in entries { guard try body(entry) else { return } }
      chunk = min(chunk * 4, RunBlock.entriesMax)
    }
  }

  /// Returns the entries whose keys are from `lower` through `upper`, in order and without
  /// duplicates.
  ///
  /// - Complexity: Like ``scan(from:through:in:_:)``.
  /// - Throws: ``RunsError``.
  package func entries(
    from lower: UInt64 = 0, through upper: UInt64 = .max, in view: TransactionView
  ) throws(RunsError) -> [RunEntry] {
    var entries: [RunEntry] = []
    try scan(from: lower, through: upper, in: view) { (entry: RunEntry) throws(RunsError) in
      entries.append(entry)
      return true
    }
    return entries
  }

  /// Calls `body` with the entries of each block, run after run. This is the fastest way to read
  /// all entries; those that are in several runs are passed several times.
  ///
  /// - Complexity: O(*n*), a few nanoseconds per entry.
  /// - Throws: ``RunsError`` as `Failure`, also if a run does not have as many entries as were
  ///   written; or the error of `body`.
  package func forEachBlock<Failure: RunsFailure>(
    in view: TransactionView, _ body: ([RunEntry]) throws(Failure) -> Void
  ) throws(Failure) {
    var entries: [RunEntry] = []
    for run in manifest.runs {
      var nextBlock = NextBlock(key: RunKey(run: run.id, order: 0), next: run.first)
      var count: UInt64 = 0
      while true {
        entries.removeAll(keepingCapacity: true)
        do throws(RunsError) {
          let hasBlock = try read(&nextBlock, of: run, view, &entries)
          count += UInt64(entries.count)
          if !hasBlock, count != run.entries {
            throw .corrupt("A sorted run holds \(count) entries of \(run.entries)")
          }
          if !hasBlock { break }
        } catch { throw Failure(error) }
        try body(entries)
      }
    }
  }

  /// The position at which a walk over the blocks of a run continues.
  private struct NextBlock {
    /// The least key of the next block's row.
    var key: RunKey
    /// The next block's first key.
    var next: UInt64
    var isFirst = true
  }

  /// Appends the entries of the first block of `run` from `nextBlock`, and advances `nextBlock`.
  /// Returns false if there is none.
  private func read(
    _ nextBlock: inout NextBlock, of run: RunDescription, _ view: TransactionView,
    _ entries: inout [RunEntry]
  ) throws(RunsError) -> Bool {
    var cursor = try RunCursor(view, table)
    let row = try cursor.seek(nextBlock.key)
    guard try run.continues(with: row, at: nextBlock.next, isFirst: nextBlock.isFirst), let row
    else {
      return false
    }
    let block = try cursor.block(row)
    try block.append(to: &entries)
    nextBlock = NextBlock(key: row.successor, next: block.next, isFirst: false)
    return true
  }
}
