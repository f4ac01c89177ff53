import SimulatedDisk

/// What is wrong on purpose, to prove that the auditor notices.
enum Sabotage: String, CaseIterable {
  case nothing
  /// The disk answers syncs and does nothing.
  case droppedSyncs = "dropped-syncs"
  /// The disk answers some writes of pages and does nothing.
  case droppedPages = "dropped-pages"
  /// An erasure leaves some keys as they are.
  case keptKeys = "kept-keys"
  /// Whoever appends is answered before the commit.
  case earlyAnswers = "early-answers"
  /// A batch is appended in two halves.
  case halfBatches = "half-batches"
  /// A snapshot goes on to newer events while it is held.
  case movingSnapshots = "moving-snapshots"

  /// What the disk does wrong.
  var lie: disk_lie {
    switch self {
    case .nothing, .earlyAnswers, .halfBatches, .movingSnapshots: DISK_HONEST
    case .droppedSyncs: DISK_DROPS_SYNCS
    case .droppedPages: DISK_DROPS_PAGES
    case .keptKeys: DISK_KEEPS_KEYS
    }
  }
}
