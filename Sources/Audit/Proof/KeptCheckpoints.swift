internal import LedgerEvents
public import LedgerStore

/// What checkpoints that somebody kept say of a ledger as it is now: whether it still begins with
/// what was signed, and as far as they tell, where it does not.
///
/// A root says that something differs and not what: checkpoints tell the stretch between the newest
/// that fits and the oldest that does not.
public struct KeptCheckpoints: Sendable {
  /// How a checkpoint stands to the ledger.
  public enum Verdict: Hashable, Sendable {
    /// The ledger begins with the events that were signed.
    case fits
    /// The ledger's root at that position is another one.
    case differs(root: TreeHash)
    /// The ledger ends before that position.
    case isBeyondEnd
    /// A record up to that position cannot be read.
    case isUnreadable
  }

  /// What is known of where the ledger was changed.
  public struct Stretch: Hashable, Sendable {
    /// The first position that may be changed, behind the newest checkpoint that fits.
    public let first: UInt64
    /// The last position that the change begins at, the oldest checkpoint that does not fit.
    public let last: UInt64
  }

  /// The verdicts, in the order of the checkpoints.
  public let verdicts: [Verdict]
  /// The events of the ledger.
  public let lastPosition: UInt64
  /// Where it was changed; nil where all fit, and where they contradict one another.
  public let stretch: Stretch?
  /// Whether a checkpoint fits, and an older one does not: two books were signed.
  public let isContradictory: Bool

  /// Compares checkpoints, whose signatures were checked before, with the records of a log.
  ///
  /// - Parameters:
  ///   - checkpoints: What was signed, in any order.
  ///   - log: The log as it is.
  ///   - progress: Called now and then with the events hashed and how many there are to hash.
  /// - Complexity: O(*n*), one or two hashes an event up to the newest checkpoint.
  /// - Throws: `LedgerError` where the log cannot be read at all.
  public init(
    _ checkpoints: [SignedCheckpoint], against log: LogView,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) {
    let roots = try log.rehashedRoots(at: checkpoints.map(\.size), progress: progress)
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
    stretch =
      isContradictory ? nil : oldestMiss.map { Stretch(first: newestFit + 1, last: $0) }
  }

  /// Whether the ledger begins with everything that was signed.
  public var allFit: Bool { verdicts.allSatisfy { $0 == .fits } }
}
