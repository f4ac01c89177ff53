/// The shape of the log's tree: RFC 6962 over the records, with the leaf of position 1 first.
///
/// Only nodes of whole subtrees of 16 leaves and more are stored, each when its last leaf is
/// appended, one after the other; what is below them is hashed again from at most 15 records.
enum MerkleTree {
  /// The level of the lowest stored nodes; a node of level *l* is over 2^*l* leaves.
  ///
  /// At 4 the nodes take 6.6 bytes an event, and a root costs at most 15 hashes of records more.
  static let storedLevelMin = 4

  /// How many nodes are stored when the tree has `size` leaves.
  ///
  /// Each block of 16 leaves adds itself and the parents that it completes: as many as a binary
  /// counter's increments carry, so 2*n* less the ones in *n* after *n* blocks.
  static func storedNodes(atSize size: UInt64) -> UInt64 {
    let blocks = size >> UInt64(storedLevelMin)
    return 2 * blocks - UInt64(blocks.nonzeroBitCount)
  }

  /// Where the node `index` of `level` stands in the order in which nodes are stored, from 0.
  ///
  /// Its last block stores first itself and then its completed parents upwards.
  static func storedIndex(level: Int, index: UInt64) -> UInt64 {
    precondition(level >= storedLevelMin, "the lowest levels are not stored")
    let above = UInt64(level - storedLevelMin)
    let lastBlock = (index + 1) << above - 1
    return 2 * lastBlock - UInt64(lastBlock.nonzeroBitCount) + above
  }

  /// The whole subtrees that make up a tree of `size` leaves, from left to right, as level and
  /// index.
  static func peaks(size: UInt64) -> [(level: Int, index: UInt64)] {
    var peaks: [(level: Int, index: UInt64)] = []
    var start: UInt64 = 0
    for level in stride(from: 63, through: 0, by: -1) where size >> UInt64(level) & 1 == 1 {
      peaks.append((level, start >> UInt64(level)))
      start += 1 << UInt64(level)
    }
    return peaks
  }

  /// The root over subtrees as `peaks(size:)` lists them.
  static func root(of peaks: [TreeHash], _ hasher: inout TreeHasher) -> TreeHash {
    guard var root = peaks.last else { return TreeHasher.empty }
    for peak in peaks.dropLast().reversed() { root = hasher.parent(peak, root) }
    return root
  }
}

/// The right edge of a growing tree: enough of it to append leaves and to know the root.
struct MerkleFrontier {
  /// How many leaves the tree has.
  private(set) var size: UInt64
  /// The roots of the whole subtrees, largest first.
  private var peaks: [TreeHash]

  /// A tree without leaves.
  init() {
    size = 0
    peaks = []
  }

  /// A tree of `size` leaves with these whole subtrees, largest first.
  init(size: UInt64, peaks: [TreeHash]) {
    precondition(peaks.count == size.nonzeroBitCount, "one peak for each one in the size")
    self.size = size
    self.peaks = peaks
  }

  /// Adds a leaf and, to `completed`, each node that is to be stored, in the order of storing.
  ///
  /// - Complexity: one hash a leaf, amortized.
  mutating func append(
    _ leaf: TreeHash, _ hasher: inout TreeHasher, completed: inout [TreeHash]
  ) {
    append(leaf, level: 0, &hasher, completed: &completed)
  }

  /// Adds a whole subtree of 2^`level` leaves; see `append(_:_:completed:)`.
  ///
  /// - Precondition: The leaves that there are fill whole subtrees of that size.
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
  }

  /// The root of the tree as it is.
  ///
  /// - Complexity: O(log *n*) hashes.
  func root(_ hasher: inout TreeHasher) -> TreeHash { MerkleTree.root(of: peaks, &hasher) }
}
