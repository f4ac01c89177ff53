package import LedgerEvents

/// Where a key may stand: an answer of a `LogIndex`.
package struct KeyCandidate: Hashable, Sendable {
  /// Which of the hashes asked for.
  package var index: Int
  /// A position for an id, a number for a name.
  package var value: UInt32

  package init(index: Int, value: UInt32) {
    self.index = index
    self.value = value
  }
}

/// An index of ids and names up to a position, kept outside of the log: the projections' sorted
/// runs.
///
/// It says where to look and may say too much; it must not miss what lies within its reach. The
/// writer compares every candidate with the log. An index that cannot be sure of a miss throws
/// `rebuildNeeded`, and the writer then reads the log itself.
package protocol LogIndex: Sendable {
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
package struct EmptyLogIndex: LogIndex {
  package init() {}
  package var reach: UInt64 { 0 }
  package var nameReach: NameNumber { 0 }
  /// None.
  package func positions(ofIDs hashes: [UInt64]) -> [KeyCandidate] { [] }
  /// None.
  package func numbers(ofNames hashes: [UInt64]) -> [KeyCandidate] { [] }
}
