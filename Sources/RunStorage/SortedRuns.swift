package import LMDB

/// A family of sorted runs: an index of random keys that is cheap to add to.
///
/// Each batch of entries is added as an immutable run, packed into blocks. Eight runs of a level
/// are merged into one of the next level. Each entry is therefore written about once per level,
/// whereas a B-tree rewrites a page for each entry.
///
/// Everything happens inside the caller's transactions: what a transaction adds or merges becomes
/// visible with its commit or not at all, and a reader sees the runs of its snapshot.
///
/// A family is stored in one LMDB table: its blocks and, in the first row, the list of its runs.
package struct SortedRuns: Sendable {
  /// The table with the family's rows.
  package let table: Table

  /// Opens the family `name` in `environment`, creating it if it is missing.
  ///
  /// The first time, this takes a write transaction, so call it before you begin yours.
  ///
  /// - Throws: ``RunsError`` if LMDB fails.
  package static func create(
    _ name: String, in environment: Environment
  ) throws(RunsError) -> SortedRuns {
    do throws(LMDBError) {
      return SortedRuns(table: try environment.createTable(name))
    } catch { throw RunsError(error) }
  }

  /// Opens the family `name` in `environment`, or returns `nil` if there is none.
  ///
  /// - Throws: ``RunsError`` if LMDB fails.
  package static func open(
    _ name: String, in environment: Environment
  ) throws(RunsError) -> SortedRuns? {
    do throws(LMDBError) {
      return try environment.table(name).map(SortedRuns.init)
    } catch { throw RunsError(error) }
  }

  /// Uses the table `table`, which must belong to the family alone.
  package init(table: Table) { self.table = table }

  /// Returns the family's runs as seen by `view`. Use the result only as long as that snapshot
  /// lasts.
  ///
  /// - Complexity: O(*r*) in the number of runs.
  /// - Throws: ``RunsError``.
  package func snapshot(in view: TransactionView) throws(RunsError) -> RunsSnapshot {
    RunsSnapshot(table: table, manifest: try manifest(in: view))
  }

  /// Adds the sorted `entries` as one run.
  ///
  /// Large batches are cheaper: every lookup reads a run until it is merged, and each merge writes
  /// it again. Add at most about ten million entries at once, because a transaction has a limit of
  /// pages.
  ///
  /// - Complexity: O(*n*); 6.4 bytes written per entry for hashes with positions.
  /// - Precondition: `entries` are in ascending order. Equal entries count once.
  /// - Throws: ``RunsError``. Abort the transaction then.
  package func add(
    _ entries: [RunEntry], in transaction: inout WriteTransaction
  ) throws(RunsError) {
    guard !entries.isEmpty else { return }
    var manifest = try manifest(in: transaction.view)
    var writer = RunWriter(table, run: try manifest.newRun())
    writer.pending.reserveCapacity(min(entries.count, 2 * Self.chunkEntries))
    var last: RunEntry?
    for entry in entries {
      if let last {
        precondition(last <= entry, "the entries of a run must be in order")
        if last == entry { continue }
      }
      last = entry
      writer.pending.append(entry)
      if writer.pending.count >= Self.chunkEntries {
        try writer.write(in: &transaction, isLast: false)
      }
    }
    try writer.write(in: &transaction, isLast: true)
    manifest.runs.append(writer.run)
    try store(&manifest, in: &transaction)
  }

  /// The number of entries to collect before they are packed into blocks: several times the largest
  /// block.
  static let chunkEntries = 4 * RunBlock.entriesMax
}

extension SortedRuns {
  /// Returns the family's list of runs as seen by `view`.
  func manifest(in view: TransactionView) throws(RunsError) -> RunManifest {
    let key = RunKey.manifest.words
    let row: Span<UInt8>?
    do throws(LMDBError) {
      row = try view.get(table, key.span.wordBytes)
    } catch { throw RunsError(error) }
    guard let row else { return RunManifest() }
    return try RunManifest(row)
  }

  /// Writes the family's list of runs as its next revision.
  package func store(
    _ manifest: inout RunManifest, in transaction: inout WriteTransaction
  ) throws(RunsError) {
    manifest.revision += 1
    assert(manifest.isConsistent, "the list of runs contradicts itself")
    let key = RunKey.manifest.words
    let words = manifest.words
    do throws(LMDBError) {
      try transaction.put(table, key.span.wordBytes, words.span.wordBytes)
    } catch { throw RunsError(error) }
  }
}

extension RunManifest {
  /// Returns a new run with the next number.
  mutating func newRun() throws(RunsError) -> RunDescription {
    guard nextID < .max else {
      throw .corrupt("A family of sorted runs has no numbers left")
    }
    defer { nextID += 1 }
    return RunDescription(id: nextID)
  }
}
