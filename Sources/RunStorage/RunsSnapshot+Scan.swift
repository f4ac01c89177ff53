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
    let ids = runs(from: lower, through: upper).map(\.id)
    let range = RunRange(lower: RunEntry(key: lower), upper: upper)
    var merge: RunMerge
    do throws(RunsError) {
      merge = try RunMerge(ids, of: table, range: range, in: view)
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
  /// - Throws: ``RunsError`` as `Failure`, or the error of `body`.
  package func forEachBlock<Failure: RunsFailure>(
    in view: TransactionView, _ body: ([RunEntry]) throws(Failure) -> Void
  ) throws(Failure) {
    var entries: [RunEntry] = []
    for run in manifest.runs {
      var place: RunKey? = RunKey(run: run.id, order: 0)
      while true {
        entries.removeAll(keepingCapacity: true)
        do throws(RunsError) {
          place = try read(place, of: run, view, &entries)
        } catch { throw Failure(error) }
        if place == nil { break }
        try body(entries)
      }
    }
  }

  /// Appends the entries of the first block of `run` from `place` on. Returns the position after
  /// it, or nil.
  private func read(
    _ place: RunKey?, of run: RunDescription, _ view: TransactionView,
    _ entries: inout [RunEntry]
  ) throws(RunsError) -> RunKey? {
    var cursor = try RunCursor(view, table)
    guard let place, let row = try cursor.seek(place), row.run == run.id else { return nil }
    try cursor.block(row).append(to: &entries)
    return row.successor
  }
}
