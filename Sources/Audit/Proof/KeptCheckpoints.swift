internal import LedgerEvents
public import LedgerStore

/// Compares checkpoints that somebody kept with a ledger in its present state: whether it still
/// begins with what was signed, and if not, where it was changed.
///
/// A root shows that something differs, but not what. Several checkpoints narrow it down to the
/// range between the newest one that fits and the oldest one that does not.
public struct KeptCheckpoints: Sendable {
  /// The result for one checkpoint.
  public enum Verdict: Hashable, Sendable {
    /// The ledger begins with the events that were signed.
    case fits
    /// The ledger has a different root at that position.
    case differs(root: TreeHash)
    /// The ledger ends before that position.
    case isBeyondEnd
    /// A record up to that position cannot be read.
    case isUnreadable
  }

  /// The verdicts, in the order of the checkpoints.
  public let verdicts: [Verdict]
  /// The last position of the ledger.
  public let lastPosition: UInt64
  /// The positions at which the first change can be: from the one after the newest checkpoint that
  /// fits to that of the oldest checkpoint that does not; `nil` if all checkpoints fit, or if they
  /// contradict one another.
  public let changedRange: ClosedRange<UInt64>?
  /// Whether a checkpoint fits and an older one does not, which means that two different ledgers
  /// were signed.
  public let isContradictory: Bool

  /// Compares checkpoints with the records of a log. The signatures must have been checked before.
  ///
  /// - Parameters:
  ///   - checkpoints: The checkpoints, in any order.
  ///   - log: The log in its present state.
  ///   - base: Up to here, the roots that the tree has are compared, and the records are not read.
  ///   - progress: Called from time to time with the number of events hashed and the total.
  /// - Complexity: O(*n*), one or two hashes per event up to the newest checkpoint.
  /// - Throws: `LedgerError` if the log cannot be read at all.
  public init(
    _ checkpoints: [SignedCheckpoint], against log: LogView, trusting base: UInt64 = 0,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) {
    let roots = try log.rehashedRoots(
      at: checkpoints.map(\.size), trusting: base, progress: progress)
    let end = log.lastPosition
    let verdicts = checkpoints.map { checkpoint -> Verdict in
      guard checkpoint.size <= end else { return .isBeyondEnd }
      guard let root = roots[checkpoint.size] else { return .isUnreadable }
      return root == checkpoint.root ? .fits : .differs(root: root)
    }
    let judged = zip(checkpoints, verdicts)
    let newestFit = judged.filter { $0.1 == .fits }.map(\.0.size).max() ?? 0
    let oldestMiss = judged.filter { $0.1 != .fits }.map(\.0.size).min()
    self.verdicts = verdicts
    lastPosition = end
    isContradictory = oldestMiss.map { $0 <= newestFit } ?? false
    changedRange = isContradictory ? nil : oldestMiss.map { newestFit + 1...$0 }
  }

  /// Whether the ledger begins with everything that was signed.
  public var allFit: Bool { verdicts.allSatisfy { $0 == .fits } }
}
