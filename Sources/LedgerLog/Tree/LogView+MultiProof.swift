extension LogView {
  /// Proves events of the log, all at once: see ``TreeMultiProof``.
  ///
  /// - Parameters:
  ///   - positions: From 1, ascending.
  ///   - size: The tree that is proven of: that over the events up to there.
  /// - Complexity: O(*k* log *n*) look-ups for *k* events of *n*.
  /// - Throws: ``LedgerError``: `notFound` where the log is shorter, or a position beyond `size`;
  ///   `corrupt`.
  package func multiProof(
    of positions: [UInt64], size: UInt64
  ) throws(LedgerError) -> TreeMultiProof {
    guard size <= lastPosition else {
      throw LedgerError(
        .notFound, "The log has \(lastPosition) events, there is no tree of \(size) yet.",
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
