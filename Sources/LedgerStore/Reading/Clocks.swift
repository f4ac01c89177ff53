public import LedgerEvents

/// The two clocks of a question: what was true at a store time, and what the ledger knew then.
public struct Clocks: Hashable, Sendable {
  /// A point in ledger time.
  public enum LedgerTime: Hashable, Sendable {
    case position(UInt64)
    /// Up to the last position whose `recordedAt` is not after it.
    case instant(Instant)
  }

  /// Store time: only what occurred up to it is folded, and answers are judged at it.
  public var at: Instant?
  /// Ledger time: only what the ledger contained then is folded.
  public var asOf: LedgerTime?

  public init(at: Instant? = nil, asOf: LedgerTime? = nil) {
    self.at = at
    self.asOf = asOf
  }

  /// Everything that the ledger knows, judged now.
  public static let now = Clocks()

  /// Whether they ask for everything that the ledger knows.
  package var reachAll: Bool { at == nil && asOf == nil }
}
