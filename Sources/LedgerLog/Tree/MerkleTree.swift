/// The shape of the log's tree: RFC 6962 over the records, with the leaf of position 1 first.
///
/// Only the nodes of whole subtrees of at least 16 leaves are stored, each when its last leaf is
/// appended, one after the other. Nodes below them are computed again from at most 15 records.
enum MerkleTree {
  /// The level of the lowest stored nodes. A node of level *l* covers 2^*l* leaves.
  ///
  /// At level 4, the nodes take 6.6 bytes per event, and a root costs at most 15 additional hashes
  /// of records.
  static let storedLevelMin = 4

  /// Returns the number of nodes that are stored when the tree has `size` leaves.
  ///
  /// Each block of 16 leaves adds its own node and the parents that it completes, as many as the
  /// carries when a binary counter is incremented. After *n* blocks, that is 2*n* minus the number
  /// of ones in *n*.
  static func storedNodes(atSize size: UInt64) -> UInt64 {
    let blocks = size >> UInt64(storedLevelMin)
    return 2 * blocks - UInt64(blocks.nonzeroBitCount)
  }

  /// Returns the index of the node `index` of `level` in the order in which nodes are stored, from
  /// 0.
  ///
  /// Its last block stores its own node first, and then its completed parents upwards.
  static func storedIndex(level: Int, index: UInt64) -> UInt64 {
    precondition(level >= storedLevelMin, "the lowest levels are not stored")
    let above = UInt64(level - storedLevelMin)
    let lastBlock = (index + 1) << above - 1
    return 2 * lastBlock - UInt64(lastBlock.nonzeroBitCount) + above
  }

  /// Returns the whole subtrees that make up a tree of `size` leaves, from left to right, by level
  /// and index.
  static func peaks(size: UInt64) -> [(level: Int, index: UInt64)] {
    var peaks: [(level: Int, index: UInt64)] = []
    var start: UInt64 = 0
    for level in stride(from: 63, through: 0, by: -1) where size >> UInt64(level) & 1 == 1 {
      peaks.append((level, start >> UInt64(level)))
      start += 1 << UInt64(level)
    }
    return peaks
  }

  /// Returns the root over the subtrees that `peaks(size:)` lists.
  static func root(of peaks: [TreeHash], _ hasher: inout TreeHasher) -> TreeHash {
    guard var root = peaks.last else { return TreeHasher.empty }
    for peak in peaks.dropLast().reversed() { root = hasher.parent(peak, root) }
    return root
  }
}

/// The right edge of a growing tree, which is enough to append leaves and to compute the root.
struct MerkleFrontier {
  /// The number of leaves of the tree.
  private(set) var size: UInt64
  /// The roots of the whole subtrees, largest first.
  private var peaks: [TreeHash]

  /// Creates a tree without leaves.
  init() {
    size = 0
    peaks = []
  }

  /// Creates a tree of `size` leaves from its whole subtrees, largest first.
  init(size: UInt64, peaks: [TreeHash]) {
    precondition(peaks.count == size.nonzeroBitCount, "one peak for each one in the size")
    self.size = size
    self.peaks = peaks
  }

  /// Adds a leaf. Appends each node that must be stored to `completed`, in the order of storing.
  ///
  /// - Complexity: One hash per leaf, amortized.
  mutating func append(
    _ leaf: TreeHash, _ hasher: inout TreeHasher, completed: inout [TreeHash]
  ) {
    append(leaf, level: 0, &hasher, completed: &completed)
  }

  /// Adds a whole subtree of 2^`level` leaves; see `append(_:_:completed:)`.
  ///
  /// - Precondition: The present number of leaves is a multiple of 2^`level`.
  mutating func append(
    _ subtree: TreeHash, level: Int, _ hasher: inout TreeHasher, completed: inout [TreeHash]
  ) {
    assert(size & (1 << UInt64(level) - 1) == 0, "a subtree stands at a multiple of its size")
    var node = subtree
    var level = level
    let added: UInt64 = 1 << UInt64(level)
    var rest = size >> UInt64(level)
    if level >= MerkleTree.storedLevelMin { completed.append(node) }
    while rest & 1 == 1 {
      node = hasher.parent(peaks.removeLast(), node)
      level += 1
      rest >>= 1
      if level >= MerkleTree.storedLevelMin { completed.append(node) }
    }
    peaks.append(node)
    size += added
    assert(peaks.count == size.nonzeroBitCount, "\(peaks.count) peaks for \(size) leaves")
  }

  /// Returns the root of the tree in its present state.
  ///
  /// - Complexity: O(log *n*) hashes.
  func root(_ hasher: inout TreeHasher) -> TreeHash { MerkleTree.root(of: peaks, &hasher) }
}
