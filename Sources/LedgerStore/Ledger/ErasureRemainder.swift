public import LedgerEvents
internal import LedgerLog

/// What stays readable of an erased customer's history, and why.
public struct ErasureRemainder: Hashable, Sendable {
  /// Devices and sessions that both the customer and others used.
  public internal(set) var names: [NameUse] = []
  /// The positions of events of such devices that name nobody. They may be about anybody, so their
  /// sessions and texts stay.
  public internal(set) var reports: [UInt64] = []
  /// The positions of operators' acts whose only personal data is who acted and why. That data is
  /// the operators'.
  public internal(set) var acts: [UInt64] = []
  /// The positions of events that name only a chain of which others hold a transaction, too.
  public internal(set) var sharedChains: [UInt64] = []

  /// Creates an empty remainder.
  public init() {}

  /// Whether nothing stays.
  public var isEmpty: Bool {
    names.isEmpty && reports.isEmpty && acts.isEmpty && sharedChains.isEmpty
  }
}

/// What an erasure destroys, and what it leaves readable.
struct CustomerErasure: Sendable {
  let scope: ErasureScope
  let remainder: ErasureRemainder
}
