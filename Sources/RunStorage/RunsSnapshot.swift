package import LMDB

/// An error that can wrap an error of the sorted runs, so that closures called by them can throw
/// errors of the caller's layer.
package protocol RunsFailure: Error {
  /// Wraps `error`.
  init(_ error: RunsError)
}

extension RunsError: RunsFailure {
  package init(_ error: RunsError) { self = error }
}

/// The runs of a family in one snapshot of the environment.
///
/// Use it with a view of the transaction in which it was taken, and not after writing to the
/// family.
package struct RunsSnapshot: Sendable {
  package let table: Table
  let manifest: RunManifest

  /// The runs in the order in which they are searched: the largest first, because it is most likely
  /// to contain a key.
  let order: [RunDescription]

  init(table: Table, manifest: RunManifest) {
    self.table = table
    self.manifest = manifest
    order = manifest.runs.sorted { $0.entries > $1.entries }
  }

  /// The number of runs.
  package var runCount: Int { manifest.runs.count }

  /// The total number of entries. Those that are in several runs count for each.
  package var entryCount: Int { manifest.runs.reduce(0) { $0 + Int($1.entries) } }

  /// Returns the runs that can contain keys from `lower` through `upper`.
  package func runs(from lower: UInt64, through upper: UInt64) -> [RunDescription] {
    order.filter { $0.first <= upper && $0.last.key >= lower }
  }
}
