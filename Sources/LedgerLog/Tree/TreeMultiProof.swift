/// The nodes that give the root of a tree together with some of its leaves: one proof for all of
/// these leaves. The trees are those of RFC 6962, section 2.1. A proof of one leaf contains the
/// same hashes as that of section 2.1.1, in another order.
///
/// It is the smallest set of nodes for this purpose: the hash of each subtree that contains none of
/// the leaves, and whose sibling contains some. The nodes are in the order in which a walk through
/// the tree meets them, left before right, so they need no labels.
package struct TreeMultiProof: Hashable, Sendable {
  /// The number of leaves of the tree.
  package let size: UInt64
  /// The nodes, from left to right.
  package let nodes: [TreeHash]

  /// Creates a proof from its parts.
  package init(size: UInt64, nodes: [TreeHash]) {
    self.size = size
    self.nodes = nodes
  }

  /// Creates a proof of leaves of a tree.
  ///
  /// - Parameters:
  ///   - leaves: Their indices in the tree, from 0, in ascending order.
  ///   - size: The number of leaves of the tree.
  ///   - node: Returns the hash of the whole subtree of 2^level leaves at an index of its level.
  /// - Precondition: The leaves are in ascending order and in the tree.
  /// - Complexity: O(*k* log *n*) calls of `node` for *k* leaves.
  init<Failure>(
    of leaves: [UInt64], size: UInt64,
    node: (_ level: Int, _ index: UInt64) throws(Failure) -> TreeHash
  ) throws(Failure) {
    precondition(
      zip(leaves, leaves.dropFirst()).allSatisfy { $0 < $1 }
        && leaves.last.map { $0 < size } ?? true,
      "the leaves are in the tree, and ascending")
    var nodes: [TreeHash] = []
    var hasher = TreeHasher()
    func hash(_ range: Range<UInt64>) throws(Failure) -> TreeHash {
      let width = UInt64(range.count)
      if width.nonzeroBitCount == 1 {
        let level = width.trailingZeroBitCount
        return try node(level, range.lowerBound >> UInt64(level))
      }
      let middle = TreeMultiProof.middle(of: range)
      let left = try hash(range.lowerBound..<middle)
      return hasher.parent(left, try hash(middle..<range.upperBound))
    }
    func walk(_ range: Range<UInt64>, _ leaves: ArraySlice<UInt64>) throws(Failure) {
      if leaves.isEmpty { return nodes.append(try hash(range)) }
      if range.count == 1 { return }
      let middle = TreeMultiProof.middle(of: range)
      let split = leaves.partitioningIndex { $0 >= middle }
      try walk(range.lowerBound..<middle, leaves[..<split])
      try walk(middle..<range.upperBound, leaves[split...])
    }
    if size > 0 { try walk(0..<size, leaves[...]) }
    self.init(size: size, nodes: nodes)
  }

  /// Returns the root that results from the leaves and the nodes, to be compared with a trusted
  /// one.
  ///
  /// Nothing else enters into the root. So leaves that give the right root are the tree's leaves at
  /// these indices.
  ///
  /// - Parameter leaves: The indices from 0, in ascending order, with the hashes of the leaves
  ///   there.
  /// - Throws: ``MultiProofError`` if they give no root.
  /// - Complexity: O(*k* log *n*) hashes for *k* leaves of a tree of *n*.
  package func root(
    of leaves: [(index: UInt64, hash: TreeHash)]
  ) throws(MultiProofError) -> TreeHash {
    guard size <= TreeMultiProof.sizeMax else { throw .treeTooLarge }
    guard zip(leaves, leaves.dropFirst()).allSatisfy({ $0.index < $1.index }) else {
      throw .leavesNotAscending
    }
    guard leaves.last.map({ $0.index < size }) ?? true else { throw .leafBeyondTree }
    var unused = nodes[...]
    var hasher = TreeHasher()
    func hash(
      _ range: Range<UInt64>, _ leaves: ArraySlice<(index: UInt64, hash: TreeHash)>
    ) throws(MultiProofError) -> TreeHash {
      guard let first = leaves.first else {
        guard let node = unused.popFirst() else { throw .nodesMissing }
        return node
      }
      if range.count == 1 { return first.hash }
      let middle = TreeMultiProof.middle(of: range)
      let split = leaves.partitioningIndex { $0.index >= middle }
      let left = try hash(range.lowerBound..<middle, leaves[..<split])
      return hasher.parent(left, try hash(middle..<range.upperBound, leaves[split...]))
    }
    let root = size == 0 ? TreeHasher.empty : try hash(0..<size, leaves[...])
    guard unused.isEmpty else { throw .nodesLeftOver }
    return root
  }

  /// The maximum size of a tree that is read. A ledger has fewer events.
  static let sizeMax: UInt64 = 1 << 40

  /// Returns where RFC 6962 divides the leaves of a tree: after the largest power of two that is
  /// less than their number.
  private static func middle(of range: Range<UInt64>) -> UInt64 {
    let last = UInt64(range.count - 1)
    return range.lowerBound + 1 << UInt64(63 - last.leadingZeroBitCount)
  }
}

/// Why leaves and nodes give no root.
package enum MultiProofError: Error, Hashable, Sendable, CustomStringConvertible {
  case treeTooLarge
  case leavesNotAscending
  case leafBeyondTree
  case nodesMissing
  case nodesLeftOver

  package var description: String {
    switch self {
    case .treeTooLarge: "the tree is larger than any that a ledger has"
    case .leavesNotAscending: "the leaves do not stand in the order of their positions"
    case .leafBeyondTree: "a leaf lies beyond the end of the tree"
    case .nodesMissing: "nodes of the tree are missing"
    case .nodesLeftOver: "there are more nodes than the leaves need"
    }
  }
}

extension ArraySlice {
  /// Returns the first index from which all elements fit. Elements that do not fit come first.
  fileprivate func partitioningIndex(where fits: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
