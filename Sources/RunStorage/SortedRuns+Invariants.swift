internal import LMDB

extension RunManifest {
  /// Whether the list is consistent: numbers are unique and were assigned, merges read runs of the
  /// family and share none, and no run is empty.
  ///
  /// - Complexity: O(*r*) in the number of runs.
  var isConsistent: Bool {
    let known = Set(runs.map(\.id))
    let reading = merges.flatMap(\.inputs)
    let written = runs.map(\.id) + merges.map(\.output.id) + deleted
    return Set(written).count == written.count && written.allSatisfy { $0 < nextID }
      && Set(reading).count == reading.count && known.isSuperset(of: reading)
      && runs.allSatisfy { $0.entries > 0 && $0.blocks > 0 && $0.entries >= UInt64($0.blocks) }
  }
}

extension SortedRuns {
  /// In debug builds, reads a merged run back and checks that its entries are in order, without
  /// duplicates, and as many as its description states, from the first to the last.
  ///
  /// - Complexity: O(*n*) in the number of entries; O(1) in release builds.
  /// - Throws: ``RunsError``: `corrupt`. The rows can also have been damaged on the disk since an
  ///   earlier slice wrote them, so this does not stop the process.
  func checkMerged(
    _ run: RunDescription, of inputs: [RunDescription], in view: TransactionView
  ) throws(RunsError) {
    #if DEBUG
      var found = RunDescription(id: run.id)
      var entries: [RunEntry] = []
      var cursor = try RunCursor(view, table)
      var key = try cursor.seek(RunKey(run: run.id, order: 0))
      while let row = key, row.run == run.id {
        let before = found.entries > 0 ? found.last : nil
        entries.removeAll(keepingCapacity: true)
        try cursor.block(row).append(to: &entries)
        for entry in entries {
          if found.entries == 0 { found.first = entry.key }
          guard found.entries == 0 || found.last < entry else {
            throw .corrupt("A merged run is not in order after \(before?.key ?? 0)")
          }
          found.last = entry
          found.entries += 1
        }
        found.blocks += 1
        found.bytes += UInt64(try cursor.block(row).byteCount)
        key = try cursor.next()
      }
      let most = inputs.reduce(0) { $0 + $1.entries }
      let least = inputs.map(\.entries).max() ?? 0
      guard found == run, run.entries >= least, run.entries <= most else {
        throw .corrupt("A merged run differs from its description")
      }
    #endif
  }
}
