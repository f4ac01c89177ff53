/// What makes the root of a tree together with some of its leaves: one proof for all of them
/// (RFC 6962, section 2.1, whose trees it is about; a proof of one leaf is that of 2.1.1 in another
/// order).
///
/// The nodes are the smallest set that does: the hash of each subtree that holds none of the
/// leaves and whose sibling holds some. They stand in the order in which a walk through the tree
/// meets them, left before right, so that nothing has to say which is which.
package struct TreeMultiProof: Hashable, Sendable {
  /// How many leaves the tree has.
  package let size: UInt64
  /// By their place in the tree, from left to right.
  package let nodes: [TreeHash]

  /// A proof as it was read.
  package init(size: UInt64, nodes: [TreeHash]) {
    self.size = size
    self.nodes = nodes
  }

  /// Proves leaves of a tree.
  ///
  /// - Parameters:
  ///   - leaves: Their places in the tree, from 0, ascending.
  ///   - size: How many leaves the tree has.
  ///   - node: The hash of the whole subtree of 2^level leaves that is the index-th of its level.
  /// - Precondition: The leaves are ascending and in the tree.
  /// - Complexity: O(*k* log *n*) nodes asked for, for *k* leaves.
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
      let split = leaves.firstPlace { $0 >= middle }
      try walk(range.lowerBound..<middle, leaves[..<split])
      try walk(middle..<range.upperBound, leaves[split...])
    }
    if size > 0 { try walk(0..<size, leaves[...]) }
    self.init(size: size, nodes: nodes)
  }

  /// The root that the leaves and the nodes make: to be compared with one that is trusted.
  ///
  /// Nothing but what is given enters it, so leaves that make the right root are the tree's leaves
  /// at these places.
  ///
  /// - Parameter leaves: The places from 0, ascending, with the hashes of the leaves there.
  /// - Throws: ``MultiProofError`` where they make no root.
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
      let split = leaves.firstPlace { $0.index >= middle }
      let left = try hash(range.lowerBound..<middle, leaves[..<split])
      return hasher.parent(left, try hash(middle..<range.upperBound, leaves[split...]))
    }
    let root = size == 0 ? TreeHasher.empty : try hash(0..<size, leaves[...])
    guard unused.isEmpty else { throw .nodesLeftOver }
    return root
  }

  /// The largest tree that is read; a ledger holds fewer events.
  static let sizeMax: UInt64 = 1 << 40

  /// Where RFC 6962 divides the leaves of a tree: behind the largest power of two that is less than
  /// their number.
  private static func middle(of range: Range<UInt64>) -> UInt64 {
    let last = UInt64(range.count - 1)
    return range.lowerBound + 1 << UInt64(63 - last.leadingZeroBitCount)
  }
}

/// Why leaves and nodes make no root.
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
  /// The first place from which on all elements fit; they are sorted by whether they do.
  fileprivate func firstPlace(where fits: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
