internal import Foundation

/// How many records of the log are read in pieces, each by a thread of its own.
enum ReadingPieces {
  /// The fewest records that are worth a thread. Builds with checks use one for almost every read,
  /// so that each test reads in pieces.
  #if DEBUG
    private static let recordsMin = 8
  #else
    private static let recordsMin = 4_096
  #endif

  /// More threads bring little, and each takes one of the log's snapshots.
  private static let countMax = 8

  /// Consecutive pieces of `count` records, of about the same size: one for each core, but no small
  /// ones. There is at least one.
  static func of(_ count: Int) -> [Range<Int>] {
    let cores = min(ProcessInfo.processInfo.activeProcessorCount, countMax)
    let pieces = max(1, min(count / recordsMin, cores))
    return (0..<pieces).map { count * $0 / pieces..<count * ($0 + 1) / pieces }
  }
}
