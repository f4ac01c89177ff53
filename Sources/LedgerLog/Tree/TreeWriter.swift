internal import LMDB

/// Adds the leaves of a batch to the stored tree.
struct TreeWriter {
  /// The tree's right edge, from which it grows.
  var frontier = MerkleFrontier()

  /// The leaves that the batch adds, in the order of their positions.
  var leaves = LeafBuffer()

  // Reused buffers.
  private var hasher = TreeHasher()
  private var nodes: [TreeHash] = []
  private var row: [UInt8] = []

  init() {}

  /// Returns the root of the tree in its present state.
  ///
  /// - Complexity: O(log *n*) hashes.
  mutating func root() -> TreeHash { frontier.root(&hasher) }

  /// Writes the nodes that the leaves complete.
  ///
  /// - Complexity: O(*n*) in the number of leaves.
  mutating func write(
    to table: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var index = MerkleTree.storedNodes(atSize: frontier.size)
    nodes.removeAll(keepingCapacity: true)
    frontier.append(leaves, &hasher, completed: &nodes)
    for node in nodes {
      row.removeAll(keepingCapacity: true)
      node.append(to: &row)
      try transaction.append(table, index, row.span)
      index += 1
    }
    assert(
      index == MerkleTree.storedNodes(atSize: frontier.size),
      "the tree has other nodes than its size asks for")
  }

  /// Deletes the nodes that were added after `earlier`, and makes it the frontier again.
  mutating func takeOut(
    to earlier: MerkleFrontier, from table: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let kept = MerkleTree.storedNodes(atSize: earlier.size)
    var stored = MerkleTree.storedNodes(atSize: frontier.size)
    while stored > kept {
      stored -= 1
      _ = try transaction.delete(table, stored)
    }
    frontier = earlier
  }
}
