package import LMDB

/// A family of sorted runs: an index of random keys that is cheap to add to.
///
/// Entries are added a batch at a time as an immutable run, packed in blocks; eight runs of a size
/// are merged into one of the next. What an entry costs in bytes written is its own size times the
/// number of levels, where a B-tree rewrites a page for each.
///
/// Everything happens inside the caller's transactions: what a transaction adds or merges is there
/// with its commit or not at all, and a reader sees the runs of its snapshot.
///
/// One table of LMDB holds a family: its blocks and, in the first row, the list of its runs.
package struct SortedRuns: Sendable {
  /// The table with the family's rows.
  package let table: Table

  /// Opens the family `name` of `environment`, made if it is missing.
  ///
  /// Takes a write transaction the first time: call it before yours.
  ///
  /// - Throws: ``RunsError`` when LMDB fails.
  package static func create(
    _ name: String, in environment: Environment
  ) throws(RunsError) -> SortedRuns {
    do throws(LMDBError) {
      return SortedRuns(table: try environment.createTable(name))
    } catch { throw RunsError(error) }
  }

  /// Opens the family `name` of `environment`, or nil when there is none.
  ///
  /// - Throws: ``RunsError`` when LMDB fails.
  package static func open(
    _ name: String, in environment: Environment
  ) throws(RunsError) -> SortedRuns? {
    do throws(LMDBError) {
      return try environment.table(name).map(SortedRuns.init)
    } catch { throw RunsError(error) }
  }

  /// Takes the table `table`, which belongs to the family alone.
  package init(table: Table) { self.table = table }

  /// The family's runs as `view` sees them, to be asked as long as that snapshot lasts.
  ///
  /// - Complexity: O(*r*) in the number of runs.
  /// - Throws: ``RunsError``.
  package func snapshot(in view: TransactionView) throws(RunsError) -> RunsSnapshot {
    RunsSnapshot(table: table, manifest: try manifest(in: view))
  }

  /// Adds the sorted `entries` as one run.
  ///
  /// Large batches cost less: a run is read by each look-up until it is merged, and each merge
  /// writes it again. At most some ten million at once: a transaction has a limit of pages.
  ///
  /// - Complexity: O(*n*), 6.4 bytes written an entry for hashes with positions.
  /// - Precondition: `entries` are in order; equal ones count once.
  /// - Throws: ``RunsError``; the transaction is then to be aborted.
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
        precondition(last <= entry, "the entries of a run are added in order")
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

  /// How many entries are gathered before blocks are made of them: enough for the largest block
  /// several times.
  static let chunkEntries = 4 * RunBlock.entriesMax
}

extension SortedRuns {
  /// The family's list of runs as `view` sees it.
  func manifest(in view: TransactionView) throws(RunsError) -> RunManifest {
    let key = RunKey.manifest.words
    let row: Span<UInt8>?
    do throws(LMDBError) {
      row = try view.get(table, key.span.wordBytes)
    } catch { throw RunsError(error) }
    guard let row else { return RunManifest() }
    return try RunManifest(row)
  }

  /// Writes the family's list of runs, as its next revision.
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
  /// A run with the next number.
  mutating func newRun() throws(RunsError) -> RunDescription {
    guard nextID < .max else {
      throw .corrupt("A family of sorted runs has used up its numbers")
    }
    defer { nextID += 1 }
    return RunDescription(id: nextID)
  }
}
