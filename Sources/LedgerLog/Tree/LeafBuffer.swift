internal import LMDB
internal import WorkThreads

/// The leaves of a batch, each after its zero byte, to be hashed all at once. A leaf is a record
/// and the names that it introduces.
struct LeafBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// The offset of the newest record.
  private var recordStart = 0
  private var recordEnd = 0

  /// The capacity in bytes that is kept for the next batch.
  private static let bytesKeptMax = 1 << 20

  /// The number of leaves that one thread hashes at a time: about twenty microseconds of work, and
  /// whole subtrees of 16.
  fileprivate static let pieceLeaves = 128

  init() {}

  var count: Int { ends.count }

  /// The newest record.
  var lastRecord: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(recordStart..<recordEnd) }
  }

  /// Adds a leaf, and lets `complete` finish its record in place, at the end of the buffer.
  mutating func append(
    _ record: ArraySlice<UInt8>, _ introductions: [UInt8], complete: (inout [UInt8], Int) -> Void
  ) {
    bytes.append(0)
    bytes.appendLength(UInt32(record.count))
    recordStart = bytes.count
    bytes.append(contentsOf: record)
    complete(&bytes, recordStart)
    recordEnd = bytes.count
    bytes.append(contentsOf: introductions)
    ends.append(bytes.count)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= LeafBuffer.bytesKeptMax)
    ends.removeAll(keepingCapacity: bytes.capacity <= LeafBuffer.bytesKeptMax)
  }

  private func start(_ at: Int) -> Int { at == 0 ? 0 : ends[at - 1] }

  /// Returns SHA-256 of a leaf with its prefix.
  private func hash(_ at: Int) -> TreeHash {
    TreeHash(hashing: bytes.span.extracting(start(at)..<ends[at]))
  }

  /// A subtree: one leaf, or a subtree at the lowest level that is stored.
  fileprivate struct Subtree: Sendable {
    let level: Int
    let hash: TreeHash
  }

  /// Returns the subtrees of a range of leaves. Leaf `i` of the buffer is leaf `i + size` of the
  /// tree.
  fileprivate func subtrees(_ range: Range<Int>, atSize size: UInt64) -> [Subtree] {
    let blockLeaves = 1 << MerkleTree.storedLevelMin
    var hasher = TreeHasher()
    var found: [Subtree] = []
    var at = range.lowerBound
    while at < range.upperBound {
      let isAligned = (size + UInt64(at)) % UInt64(blockLeaves) == 0
      guard isAligned, range.upperBound - at >= blockLeaves else {
        found.append(Subtree(level: 0, hash: hash(at)))
        at += 1
        continue
      }
      found.append(
        Subtree(
          level: MerkleTree.storedLevelMin,
          hash: root(at, MerkleTree.storedLevelMin, &hasher)))
      at += blockLeaves
    }
    return found
  }

  private func root(_ at: Int, _ level: Int, _ hasher: inout TreeHasher) -> TreeHash {
    if level == 0 { return hash(at) }
    let left = root(at, level - 1, &hasher)
    return hasher.parent(left, root(at + 1 << (level - 1), level - 1, &hasher))
  }
}

extension MerkleFrontier {
  /// Adds all leaves of a buffer; see `append(_:_:completed:)`. Several threads hash large batches,
  /// because the log's lock is held meanwhile.
  ///
  /// - Complexity: Two hashes per leaf.
  mutating func append(
    _ leaves: LeafBuffer, _ hasher: inout TreeHasher, completed: inout [TreeHash]
  ) {
    for subtree in leaves.subtrees(atSize: size).joined() {
      append(subtree.hash, level: subtree.level, &hasher, completed: &completed)
    }
  }
}

extension LeafBuffer {
  /// Returns the subtrees of all leaves, piece by piece.
  fileprivate func subtrees(atSize size: UInt64) -> [[Subtree]] {
    // The first piece ends at the beginning of a whole subtree.
    let first = LeafBuffer.pieceLeaves - Int(size % UInt64(LeafBuffer.pieceLeaves))
    var pieces: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, start == 0 ? first : start + LeafBuffer.pieceLeaves)
      pieces.append(start..<end)
      start = end
    }
    guard pieces.count > 1 else { return pieces.map { subtrees($0, atSize: size) } }
    let (leaves, ranges) = (self, pieces)
    return concurrentMap(ranges.count) { leaves.subtrees(ranges[$0], atSize: size) }
  }
}

extension [UInt8] {
  /// Appends the length of a record as in its leaf: four bytes, the least significant first.
  fileprivate mutating func appendLength(_ length: UInt32) {
    for shift in stride(from: UInt32(0), through: 24, by: 8) {
      append(UInt8(truncatingIfNeeded: length >> shift))
    }
  }
}
