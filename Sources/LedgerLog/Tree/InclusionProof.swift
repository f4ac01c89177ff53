/// The proof that a leaf is at an index of a tree: the hashes that lead from the leaf to the root.
///
/// Source: RFC 6962, section 2.1.1, and RFC 9162, section 2.1.3.
public struct InclusionProof: Hashable, Sendable {
  /// The index of the leaf, from 0: the event's position minus one.
  public let index: UInt64
  /// The number of leaves of the tree.
  public let size: UInt64
  /// The hashes from the leaf's sibling up to the child of the root.
  public let path: [TreeHash]

  public init(index: UInt64, size: UInt64, path: [TreeHash]) {
    self.index = index
    self.size = size
    self.path = path
  }

  /// Returns the root of the tree in which a leaf with this hash has this path; `nil` if no leaf at
  /// the index of a tree of this size has a path of this length.
  ///
  /// - Complexity: O(log *n*) hashes. It needs no ledger.
  /// - Returns: The root to compare with the one that you know (RFC 9162, section 2.1.3.2).
  public func root(of leaf: TreeHash) -> TreeHash? {
    guard index < size else { return nil }
    var hasher = TreeHasher()
    var node = leaf
    var (number, last) = (index, size - 1)
    for sibling in path {
      if last == 0 { return nil }
      if number & 1 == 1 || number == last {
        node = hasher.parent(sibling, node)
        // At the right edge, a node without a sibling moves up unchanged.
        while number & 1 == 0, number != 0 { (number, last) = (number >> 1, last >> 1) }
      } else {
        node = hasher.parent(node, sibling)
      }
      (number, last) = (number >> 1, last >> 1)
    }
    return last == 0 ? node : nil
  }
}

/// The proof that a tree is the beginning of a later one.
///
/// Source: RFC 6962, section 2.1.2, and RFC 9162, section 2.1.4.
public struct ConsistencyProof: Hashable, Sendable {
  /// The number of leaves of the older tree.
  public let oldSize: UInt64
  /// The number of leaves of the newer tree.
  public let newSize: UInt64
  /// The hashes, in the order of the RFC; empty if the older tree is empty or the same as the newer
  /// one.
  public let path: [TreeHash]

  public init(oldSize: UInt64, newSize: UInt64, path: [TreeHash]) {
    self.oldSize = oldSize
    self.newSize = newSize
    self.path = path
  }

  /// Returns whether the tree with the root `old` is the beginning of that with the root `new`.
  ///
  /// - Complexity: O(log *n*) hashes. It needs no ledger.
  public func holds(old: TreeHash, new: TreeHash) -> Bool {
    if oldSize == newSize { return path.isEmpty && old == new }
    guard oldSize < newSize else { return false }
    // Every tree begins with the empty one.
    if oldSize == 0 { return path.isEmpty && old == TreeHash.emptyTree }
    var rest = path[...]
    let first = oldSize.nonzeroBitCount == 1 ? old : rest.popFirst()
    guard let first else { return false }
    return joins(first, rest, old: old, new: new)
  }

  /// Steps 3 to 7 of RFC 9162, section 2.1.4.2.
  private func joins(
    _ first: TreeHash, _ rest: ArraySlice<TreeHash>, old: TreeHash, new: TreeHash
  ) -> Bool {
    var hasher = TreeHasher()
    var (number, last) = (oldSize - 1, newSize - 1)
    while number & 1 == 1 { (number, last) = (number >> 1, last >> 1) }
    var (oldNode, newNode) = (first, first)
    for hash in rest {
      if last == 0 { return false }
      if number & 1 == 1 || number == last {
        oldNode = hasher.parent(hash, oldNode)
        newNode = hasher.parent(hash, newNode)
        while number & 1 == 0, number != 0 { (number, last) = (number >> 1, last >> 1) }
      } else {
        newNode = hasher.parent(newNode, hash)
      }
      (number, last) = (number >> 1, last >> 1)
    }
    return last == 0 && oldNode == old && newNode == new
  }
}

extension TreeHash {
  /// The root of a tree without leaves: SHA-256 of no bytes.
  public static let emptyTree = TreeHasher.empty

  /// Returns the hash of a leaf, SHA-256(0x00 ‖ `entry`) (RFC 6962, section 2.1).
  ///
  /// - Complexity: O(*n*) in the size of the entry.
  public static func leaf(_ entry: Span<UInt8>) -> TreeHash {
    var hasher = TreeHasher()
    return hasher.leafHash(entry)
  }
}
