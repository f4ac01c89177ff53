internal import LedgerEvents

extension LogView {
  /// Returns one proof for several events of the log: see ``TreeMultiProof``.
  ///
  /// - Parameters:
  ///   - positions: The positions of the events, from 1, in ascending order.
  ///   - size: The number of events in the tree to prove against.
  /// - Complexity: O(*k* log *n*) lookups for *k* events of *n*.
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter or a position is beyond `size`;
  ///   `corrupt`.
  package func multiProof(
    of positions: [UInt64], size: UInt64
  ) throws(LedgerError) -> TreeMultiProof {
    guard size <= lastPosition else {
      throw LedgerError(
        .notFound,
        "The log has \(lastPosition.counted("event")): there is no tree of \(size) yet.",
        position: size)
    }
    if let last = positions.last, last > size {
      throw LedgerError(
        .notFound, "The event at position \(last) is not in the tree of the first \(size).",
        position: last)
    }
    var hasher = TreeHasher()
    return try TreeMultiProof(of: positions.map { $0 - 1 }, size: size) {
      (level, index) throws(LedgerError) in
      try node(level: level, index: index, &hasher)
    }
  }
}
