package import LMDB

/// An error that can carry a failure of the sorted runs, so that closures run by them can throw
/// errors of their caller's layer.
package protocol RunsFailure: Error {
  /// Carries `error` upwards.
  init(_ error: RunsError)
}

extension RunsError: RunsFailure {
  package init(_ error: RunsError) { self = error }
}

/// The runs of a family as one snapshot of the environment sees them.
///
/// Ask it with a view of the transaction it was taken in, and not after writing to the family. A
/// long-lived reader keeps it and calls ``refresh(in:)`` after it has renewed its transaction.
package struct RunsSnapshot: Sendable {
  package let table: Table
  private(set) var manifest: RunManifest

  /// The runs in the order they are asked: the largest first, where a key most likely stands.
  private(set) var order: [RunDescription]

  init(table: Table, manifest: RunManifest) {
    self.table = table
    self.manifest = manifest
    order = manifest.runs.sorted { $0.entries > $1.entries }
  }

  /// How many runs there are.
  package var runCount: Int { manifest.runs.count }

  /// How many entries they hold; those that stand in several runs count in each.
  package var entryCount: Int { manifest.runs.reduce(0) { $0 + Int($1.entries) } }

  /// The bytes of their blocks.
  package var byteCount: Int { manifest.runs.reduce(0) { $0 + Int($1.bytes) } }

  /// Takes the family's runs from `view`, if they have changed; true when they have.
  ///
  /// - Complexity: O(1) when nothing has changed.
  /// - Precondition: the snapshot was taken in a transaction that read or that was committed.
  /// - Throws: ``RunsError``.
  package mutating func refresh(in view: TransactionView) throws(RunsError) -> Bool {
    let key = RunKey.manifest.words
    let row: Span<UInt8>?
    do throws(LMDBError) {
      row = try view.get(table, key.span.wordBytes)
    } catch { throw RunsError(error) }
    guard let row, row.count >= 16 else { return false }
    if row.word(at: 8) == manifest.revision { return false }
    self = RunsSnapshot(table: table, manifest: try RunManifest(row))
    return true
  }

  /// The runs that can hold keys from `lower` through `upper`.
  package func runs(from lower: UInt64, through upper: UInt64) -> [RunDescription] {
    order.filter { $0.first <= upper && $0.last.key >= lower }
  }
}
