internal import LedgerEvents

/// How long each action takes on the virtual clock, in microseconds: the minimum and the maximum.
enum Delays {
  /// The bandwidth of the simulated network.
  static let bytesPerSecond: Int64 = 8_000_000

  /// The progress of a download between two reports, which are about a second apart. Small
  /// downloads take a few reports; no step is smaller than a fiftieth.
  static func thousandthsPerReport(of length: Int64) -> Int {
    Int(min(max(bytesPerSecond * 1_000 / max(length, 1), 20), 600))
  }

  static func range(of verb: Action.Verb) -> (least: Int64, most: Int64) {
    switch verb {
    case .authorize: (1_200_000, 2_800_000)
    case .listRestored: (300_000, 900_000)
    case .endRestored: (400_000, 1_000_000)
    case .notify: (800_000, 4_000_000)
    case .download: (600_000, 1_400_000)
    case .updatedTransactions, .updatedDownloads, .removedTransactions, .restoreFinished:
      (30_000, 120_000)
    case .app: (20_000, 400_000)
    case .launch, .foreground: (5_000_000, 60_000_000)
    default: (0, 0)
    }
  }
}
