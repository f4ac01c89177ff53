/// That a leaf stands at an index of a tree: the hashes that lead from it to the root.
///
/// Source: RFC 6962, section 2.1.1, and RFC 9162, section 2.1.3.
public struct InclusionProof: Hashable, Sendable {
  /// The leaf's place in the tree, from 0: the event's position less one.
  public let index: UInt64
  /// How many leaves the tree has.
  public let size: UInt64
  /// From the leaf's sibling up to the child of the root.
  public let path: [TreeHash]

  public init(index: UInt64, size: UInt64, path: [TreeHash]) {
    self.index = index
    self.size = size
    self.path = path
  }

  /// The root of the tree in which a leaf with this hash has this path; nil where no leaf at the
  /// index of a tree of this size has a path of this length.
  ///
  /// - Complexity: O(log *n*) hashes. It needs no ledger.
  /// - Returns: What is to be compared with the root that one knows (RFC 9162, section 2.1.3.2).
  public func root(of leaf: TreeHash) -> TreeHash? {
    guard index < size else { return nil }
    var hasher = TreeHasher()
    var node = leaf
    var (place, last) = (index, size - 1)
    for sibling in path {
      if last == 0 { return nil }
      if place & 1 == 1 || place == last {
        node = hasher.parent(sibling, node)
        // At the right edge a node without a sibling goes up as it is.
        while place & 1 == 0, place != 0 { (place, last) = (place >> 1, last >> 1) }
      } else {
        node = hasher.parent(node, sibling)
      }
      (place, last) = (place >> 1, last >> 1)
    }
    return last == 0 ? node : nil
  }
}

/// That a tree is the beginning of a later one.
///
/// Source: RFC 6962, section 2.1.2, and RFC 9162, section 2.1.4.
public struct ConsistencyProof: Hashable, Sendable {
  /// How many leaves the older tree has.
  public let oldSize: UInt64
  /// How many leaves the newer tree has.
  public let newSize: UInt64
  /// The hashes, in the order of the RFC; none where the older tree is empty or the same.
  public let path: [TreeHash]

  public init(oldSize: UInt64, newSize: UInt64, path: [TreeHash]) {
    self.oldSize = oldSize
    self.newSize = newSize
    self.path = path
  }

  /// Whether the tree with the root `old` is the beginning of that with the root `new`.
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

  /// The steps 3 to 7 of RFC 9162, section 2.1.4.2.
  private func joins(
    _ first: TreeHash, _ rest: ArraySlice<TreeHash>, old: TreeHash, new: TreeHash
  ) -> Bool {
    var hasher = TreeHasher()
    var (place, last) = (oldSize - 1, newSize - 1)
    while place & 1 == 1 { (place, last) = (place >> 1, last >> 1) }
    var (oldNode, newNode) = (first, first)
    for hash in rest {
      if last == 0 { return false }
      if place & 1 == 1 || place == last {
        oldNode = hasher.parent(hash, oldNode)
        newNode = hasher.parent(hash, newNode)
        while place & 1 == 0, place != 0 { (place, last) = (place >> 1, last >> 1) }
      } else {
        newNode = hasher.parent(newNode, hash)
      }
      (place, last) = (place >> 1, last >> 1)
    }
    return last == 0 && oldNode == old && newNode == new
  }
}

extension TreeHash {
  /// The root of a tree without leaves: SHA-256 of no bytes.
  public static let emptyTree = TreeHasher.empty

  /// The hash of a leaf, SHA-256(0x00 ‖ `entry`) (RFC 6962, section 2.1).
  ///
  /// - Complexity: O(*n*) in the size of the entry.
  public static func leaf(_ entry: Span<UInt8>) -> TreeHash {
    var hasher = TreeHasher()
    return hasher.leafHash(entry)
  }
}
