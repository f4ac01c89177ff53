internal import LMDB
internal import LedgerEvents

extension LogView {
  /// Returns the root of the tree over the first `size` events, which is the log's fingerprint at
  /// that position (RFC 6962, section 2.1). At 0, it is the hash of no bytes.
  ///
  /// - Complexity: O(log *n*) lookups and hashes, and at most 15 records are hashed again.
  /// - Throws: ``LedgerError``: `notFound` if the log is shorter, `corrupt`.
  public func root(at size: UInt64) throws(LedgerError) -> TreeHash {
    var hasher = TreeHasher()
    let peaks = try peaks(at: size, &hasher)
    return MerkleTree.root(of: peaks, &hasher)
  }

  /// Returns the right edge of the tree, to append to.
  func frontier() throws(LedgerError) -> MerkleFrontier {
    var hasher = TreeHasher()
    return MerkleFrontier(size: lastPosition, peaks: try peaks(at: lastPosition, &hasher))
  }

  /// The number of events at the end of the log that no stored node covers, at most 15. Only a root
  /// from elsewhere shows that their names are as they were written.
  package var eventsAfterNodes: UInt64 { lastPosition % (1 << UInt64(MerkleTree.storedLevelMin)) }

  func peaks(
    at size: UInt64, _ hasher: inout TreeHasher
  ) throws(LedgerError) -> [TreeHash] {
    guard size <= lastPosition else {
      throw LedgerError(
        .notFound,
        "The log has \(lastPosition.counted("event")): there is no root at \(size) yet.",
        position: size)
    }
    var peaks: [TreeHash] = []
    for (level, index) in MerkleTree.peaks(size: size) {
      peaks.append(try node(level: level, index: index, &hasher))
    }
    return peaks
  }

  /// Returns the hash of a whole subtree of 2^`level` leaves.
  package func node(
    level: Int, index: UInt64, _ hasher: inout TreeHasher
  ) throws(LedgerError) -> TreeHash {
    if level >= MerkleTree.storedLevelMin {
      return try storedNode(MerkleTree.storedIndex(level: level, index: index))
    }
    if level == 0 {
      var leaf = TreeHasher.leafPrefix
      try appendLeaf(of: try recordBytes(at: index + 1), at: index + 1, to: &leaf)
      return TreeHasher.leafHash(prefixed: leaf)
    }
    let left = try node(level: level - 1, index: 2 * index, &hasher)
    let right = try node(level: level - 1, index: 2 * index + 1, &hasher)
    return hasher.parent(left, right)
  }

  /// Returns the node at an index in the order of storing.
  func storedNode(_ index: UInt64) throws(LedgerError) -> TreeHash {
    let found: Span<UInt8>?
    do throws(LMDBError) { found = try view.get(tables.tree, index) } catch {
      throw LedgerError(error)
    }
    guard let found, let node = TreeHash(found) else {
      throw .corrupt("The node \(index) of the tree is missing or damaged")
    }
    return node
  }
}
