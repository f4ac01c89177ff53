internal import LMDB
internal import LedgerEvents

extension LogView {
  /// Returns the proof that the event at `position` is there in the tree over the first `size`
  /// events.
  ///
  /// - Complexity: O(log *n*) lookups and hashes, and at most 30 records are hashed again.
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter than `size` or the position is
  ///   after it, `corrupt`.
  public func inclusionProof(
    of position: UInt64, at size: UInt64
  ) throws(LedgerError) -> InclusionProof {
    try requireEvents(size)
    guard position >= 1, position <= size else {
      throw LedgerError(
        .notFound,
        "The tree over \(size.counted("event")) has no event at position \(position).",
        position: position)
    }
    let ranges = MerkleTree.inclusionRanges(index: position - 1, size: size)
    return InclusionProof(index: position - 1, size: size, path: try hashes(of: ranges))
  }

  /// Returns the proof that the tree over the first `old` events is the beginning of that over the
  /// first `new`.
  ///
  /// - Complexity: O(log *n*) lookups and hashes, and at most 30 records are hashed again.
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter than `new`, or `new` is less than
  ///   `old`; `corrupt`.
  public func consistencyProof(
    from old: UInt64, to new: UInt64
  ) throws(LedgerError) -> ConsistencyProof {
    try requireEvents(new)
    guard old <= new else {
      throw LedgerError(
        .notFound,
        """
        A tree over \(old) events cannot be the start of a tree over \(new): the first size must \
        not be larger than the second.
        """,
        position: old)
    }
    let ranges = MerkleTree.consistencyRanges(from: old, to: new)
    return ConsistencyProof(oldSize: old, newSize: new, path: try hashes(of: ranges))
  }

  private func requireEvents(_ size: UInt64) throws(LedgerError) {
    guard size <= lastPosition else {
      throw LedgerError(
        .notFound,
        "The log has \(lastPosition.counted("event")): there is no tree over \(size) yet.",
        position: size)
    }
  }

  private func hashes(of ranges: [Range<UInt64>]) throws(LedgerError) -> [TreeHash] {
    var hasher = TreeHasher()
    var hashes: [TreeHash] = []
    hashes.reserveCapacity(ranges.count)
    for range in ranges { hashes.append(try hash(of: range, &hasher)) }
    return hashes
  }

  /// Returns the hash of a node over these leaves. It is computed from the whole subtrees in it,
  /// which are those of a separate tree of the same size, only further to the right.
  private func hash(
    of range: Range<UInt64>, _ hasher: inout TreeHasher
  ) throws(LedgerError) -> TreeHash {
    var peaks: [TreeHash] = []
    for (level, index) in MerkleTree.peaks(size: range.upperBound - range.lowerBound) {
      let first = range.lowerBound >> UInt64(level)
      peaks.append(try node(level: level, index: first + index, &hasher))
    }
    return MerkleTree.root(of: peaks, &hasher)
  }
}
