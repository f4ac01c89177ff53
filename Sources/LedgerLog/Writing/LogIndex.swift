public import LedgerEvents

/// Where a key may stand: an answer of a `LogIndex`.
public struct KeyCandidate: Hashable, Sendable {
  /// Which of the hashes asked for.
  public var index: Int
  /// A position for an id, a number for a name.
  public var value: UInt32

  public init(index: Int, value: UInt32) {
    self.index = index
    self.value = value
  }
}

/// An index of ids and names up to a position, kept outside of the log: the projections' sorted
/// runs.
///
/// It says where to look and may say too much; it must not miss what lies within its reach. The
/// writer compares every candidate with the log.
public protocol LogIndex: Sendable {
  /// Ids of events up to this position are in it.
  var reach: UInt64 { get }

  /// Names up to this number are in it.
  var nameReach: NameNumber { get }

  /// Positions up to `reach` at which an event's id may have one of the hashes.
  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate]

  /// Numbers up to `nameReach` whose name may have one of the hashes.
  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate]
}

/// The index that holds nothing: everything is found in memory.
public struct EmptyLogIndex: LogIndex {
  public init() {}
  public var reach: UInt64 { 0 }
  public var nameReach: NameNumber { 0 }
  /// None.
  public func positions(ofIDs hashes: [UInt64]) -> [KeyCandidate] { [] }
  /// None.
  public func numbers(ofNames hashes: [UInt64]) -> [KeyCandidate] { [] }
}
