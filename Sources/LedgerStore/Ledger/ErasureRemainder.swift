public import LedgerEvents
internal import LedgerLog

/// What stays readable of what an erased customer did, and why.
public struct ErasureRemainder: Hashable, Sendable {
  /// Devices and sessions that the customer used, and others, too.
  public internal(set) var names: [NameUse] = []
  /// The positions of events of such devices that name nobody. They may be about anybody, so their
  /// sessions and texts stay.
  public internal(set) var reports: [UInt64] = []
  /// The positions of acts of operators of which nothing but who acted and why is personal: that is
  /// the operators' data.
  public internal(set) var acts: [UInt64] = []

  /// Nothing stays.
  public init() {}

  /// Whether nothing stays.
  public var isEmpty: Bool { names.isEmpty && reports.isEmpty && acts.isEmpty }
}

/// What an erasure destroys and leaves.
struct CustomerErasure: Sendable {
  let scope: ErasureScope
  let remainder: ErasureRemainder
}
