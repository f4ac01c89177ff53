package import LedgerEvents

/// A position or number that a key may have, according to a `LogIndex`.
package struct KeyCandidate: Hashable, Sendable {
  /// The index of the hash among the requested ones.
  package var index: Int
  /// A position for an id, or a number for a name.
  package var value: UInt32

  package init(index: Int, value: UInt32) {
    self.index = index
    self.value = value
  }
}

/// An index of ids and names up to a position, which is kept outside of the log, in the sorted runs
/// of the projections.
///
/// It only suggests where to look, and may return wrong candidates, but must not miss anything
/// within its reach. The writer compares every candidate with the log. If an index cannot be sure
/// that a key is absent, it throws `rebuildNeeded`, and the writer reads the log itself.
package protocol LogIndex: Sendable {
  /// The position up to which it contains the ids of events.
  var reach: UInt64 { get }

  /// The number up to which it contains names.
  var nameReach: NameNumber { get }

  /// Returns positions up to `reach` at which an event's id may have one of the hashes.
  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate]

  /// Returns numbers up to `nameReach` whose name may have one of the hashes.
  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate]
}

/// An empty index. Everything is then found in memory.
package struct EmptyLogIndex: LogIndex {
  package init() {}
  package var reach: UInt64 { 0 }
  package var nameReach: NameNumber { 0 }
  /// Returns no candidates.
  package func positions(ofIDs hashes: [UInt64]) -> [KeyCandidate] { [] }
  /// Returns no candidates.
  package func numbers(ofNames hashes: [UInt64]) -> [KeyCandidate] { [] }
}
