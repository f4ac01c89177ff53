package import LMDB

extension SortedRuns {
  /// The work of one slice, in entries read and written: about 10 ms and 400 dirty pages. To do
  /// more in one transaction, call `compact` again.
  package static let sliceEntries = 1 << 18

  /// The cost of deleting one block, in entries.
  private static let deletedBlockEntries = 16

  /// Does one slice of the pending merges and deletions.
  ///
  /// When a level has eight runs, they are merged into one of the next level. A merge can extend
  /// over many transactions, of any process; its inputs are read until its output is complete.
  ///
  /// - Complexity: O(`budget`).
  /// - Parameters:
  ///   - budget: The maximum number of entries to read and write. It can be exceeded by a few
  ///     blocks.
  ///   - transaction: The transaction to write in.
  /// - Returns: Whether work is left for another slice.
  /// - Throws: ``RunsError``. Abort the transaction then; the slice will be done again.
  package func compact(
    budget: Int = sliceEntries, in transaction: inout WriteTransaction
  ) throws(RunsError) -> Bool {
    var manifest = try manifest(in: transaction.view)
    var left = budget
    var hasChanged = false
    while left > 0 {
      if let id = manifest.deleted.first {
        let (isEmpty, blocks) = try delete(id, left / Self.deletedBlockEntries + 1, &transaction)
        if isEmpty { manifest.deleted.removeFirst() }
        left -= (blocks + 1) * Self.deletedBlockEntries
      } else if let index = try manifest.nextMerge() {
        left -= try merge(&manifest, index, left, &transaction)
      } else {
        break
      }
      hasChanged = true
    }
    if hasChanged { try store(&manifest, in: &transaction) }
    return manifest.hasWork
  }

  /// Returns whether merges or deletions are pending.
  ///
  /// - Complexity: O(*r*) in the number of runs.
  /// - Throws: ``RunsError``.
  package func needsCompaction(in view: TransactionView) throws(RunsError) -> Bool {
    try manifest(in: view).hasWork
  }

  /// Deletes up to `count` blocks of the run `id`.
  private func delete(
    _ id: UInt32, _ count: Int, _ transaction: inout WriteTransaction
  ) throws(RunsError) -> (isEmpty: Bool, blocks: Int) {
    var keys: [RunKey] = []
    let isEmpty = try blocks(of: id, upTo: count, in: transaction.view, into: &keys)
    for key in keys {
      let words = key.words
      do throws(LMDBError) {
        _ = try transaction.delete(table, words.span.wordBytes)
      } catch { throw RunsError(error) }
    }
    return (isEmpty, keys.count)
  }

  /// Appends up to `count` keys of blocks of the run `id`. Returns true if it has no more.
  private func blocks(
    of id: UInt32, upTo count: Int, in view: TransactionView, into keys: inout [RunKey]
  ) throws(RunsError) -> Bool {
    var cursor = try RunCursor(view, table)
    var key = try cursor.seek(RunKey(run: id, order: 0))
    while let found = key, found.run == id {
      if keys.count == count { return false }
      keys.append(found)
      key = try cursor.next()
    }
    return true
  }

  /// Continues the merge at `index` for about `budget` entries. Returns how many it wrote.
  private func merge(
    _ manifest: inout RunManifest, _ index: Int, _ budget: Int,
    _ transaction: inout WriteTransaction
  ) throws(RunsError) -> Int {
    let output = manifest.merges[index].output
    let inputs = try manifest.runs(manifest.merges[index].inputs)
    var range = RunRange.all
    if output.entries > 0 {
      // The slice continues after the last entry written. Nothing can follow the greatest possible
      // entry.
      guard let next = output.last.successor else {
        try finishMerge(index, of: &manifest, transaction.view)
        return 1
      }
      range.lower = next
    }
    var merge = try RunMerge(inputs, of: table, range: range, in: transaction.view)
    var writer = RunWriter(table, run: output)
    var hasMore = true
    // More than the largest block, so that each pass writes at least one.
    let chunk = min(max(budget, RunBlock.entriesMax + 1), Self.chunkEntries)
    while hasMore && writer.run.entries < output.entries + UInt64(budget) {
      hasMore = try merge.fill(&writer.pending, upTo: chunk, in: transaction.view)
      try writer.write(in: &transaction, isLast: !hasMore)
    }
    manifest.merges[index].output = writer.run
    if !hasMore { try finishMerge(index, of: &manifest, transaction.view) }
    return Int(writer.run.entries - output.entries) + 1
  }

  /// Replaces the inputs of a merge with its complete output.
  private func finishMerge(
    _ index: Int, of manifest: inout RunManifest, _ view: TransactionView
  ) throws(RunsError) {
    let merge = manifest.merges[index]
    try checkMerged(
      merge.output, of: manifest.runs.filter { merge.inputs.contains($0.id) }, in: view)
    manifest.finishMerge(index)
  }
}

extension RunManifest {
  /// The runs with the numbers `ids`.
  ///
  /// - Throws: ``RunsError`` if the family does not have one of them.
  fileprivate func runs(_ ids: [UInt32]) throws(RunsError) -> [RunDescription] {
    let found = runs.filter { ids.contains($0.id) }
    guard found.count == ids.count else {
      throw .corrupt("A merge of sorted runs reads a run that is not there")
    }
    return found
  }

  /// Whether merges or deletions are pending.
  var hasWork: Bool { !deleted.isEmpty || !merges.isEmpty || nextInputs() != nil }

  /// Returns the merge to continue, beginning a new one if necessary. It is the one at the lowest
  /// level, which keeps the number of runs small for the least work.
  mutating func nextMerge() throws(RunsError) -> Int? {
    let waiting = merges.indices.min { level(ofMerge: $0) < level(ofMerge: $1) }
    guard let inputs = nextInputs() else { return waiting }
    if let waiting, level(ofMerge: waiting) <= inputs.level { return waiting }
    let output = try newRun()
    merges.append(RunMergeDescription(output: output, inputs: inputs.ids))
    return merges.count - 1
  }

  /// Returns the lowest level that has enough runs for a merge, not counting those that are being
  /// merged, and the runs to merge.
  private func nextInputs() -> (level: Int, ids: [UInt32])? {
    let busy = Set(merges.flatMap(\.inputs))
    var levels: [Int: [UInt32]] = [:]
    for run in runs where !busy.contains(run.id) { levels[run.level, default: []].append(run.id) }
    let ready = levels.filter { $0.value.count >= RunDescription.fanIn }
    guard let (level, ids) = ready.min(by: { $0.key < $1.key }) else { return nil }
    return (level, Array(ids.prefix(RunDescription.fanInMax)))
  }

  /// Returns the highest level among a merge's inputs.
  private func level(ofMerge index: Int) -> Int {
    let inputs = Set(merges[index].inputs)
    return runs.lazy.filter { inputs.contains($0.id) }.map(\.level).max() ?? 0
  }

  /// Replaces the inputs of the merge at `index` with its output.
  mutating func finishMerge(_ index: Int) {
    let merge = merges.remove(at: index)
    let inputs = Set(merge.inputs)
    runs.removeAll { inputs.contains($0.id) }
    runs.append(merge.output)
    deleted.append(contentsOf: merge.inputs)
  }
}
