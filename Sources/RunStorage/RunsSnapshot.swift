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
/// Ask it with a view of the transaction it was taken in, and not after writing to the family.
package struct RunsSnapshot: Sendable {
  package let table: Table
  let manifest: RunManifest

  /// The runs in the order they are asked: the largest first, where a key most likely stands.
  let order: [RunDescription]

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

  /// The runs that can hold keys from `lower` through `upper`.
  package func runs(from lower: UInt64, through upper: UInt64) -> [RunDescription] {
    order.filter { $0.first <= upper && $0.last.key >= lower }
  }
}
