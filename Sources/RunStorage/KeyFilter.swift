package import LMDB

/// Says of most absent keys that they are absent, from memory and without a look-up.
///
/// A blocked Bloom filter: a key sets one bit in each of the eight words of one 64-byte block, so
/// that a question costs one cache line. It never denies a key that was inserted. Of absent keys
/// it takes for present, measured over 10⁷ random ones: 0.03 % when it is full, 0.0005 % when it
/// is half full.
///
/// It holds up to ``capacity`` keys well, at 20 bits a key; when it is full, build a larger one
/// from the runs. It is one value in memory: inserting into a copy copies everything first.
///
/// Felix Putze, Peter Sanders, Johannes Singler, "Cache-, hash- and space-efficient Bloom filters"
/// (2007); the one bit a word is that of Apache Parquet's split block Bloom filter.
package struct KeyFilter: Sendable {
  /// How many keys it is made for.
  package let capacity: Int

  /// How many different keys were inserted, less the few that it took for known.
  package private(set) var count = 0

  /// The blocks, a cache line each.
  private var blocks: [SIMD8<UInt64>]

  /// Bits of the filter for each key of its capacity.
  static let bitsPerKey = 20

  /// Bits of a block: a cache line.
  static let blockBits = 512

  /// The least capacity: 160 kB.
  static let capacityMin = 1 << 16

  /// The greatest capacity, whose filter takes 10 GB and whose blocks have 32-bit numbers.
  static let capacityMax = 1 << 32

  /// An empty filter for `capacity` keys.
  ///
  /// - Complexity: O(`capacity`): 2.5 bytes a key.
  package init(capacity: Int) {
    let capacity = min(max(capacity, Self.capacityMin), Self.capacityMax)
    self.capacity = capacity
    let blockCount = (capacity * Self.bitsPerKey + Self.blockBits - 1) / Self.blockBits
    blocks = Array(repeating: SIMD8(repeating: 0), count: blockCount)
  }

  /// A filter of all keys of `snapshot`, with room for as many again.
  ///
  /// - Complexity: O(*n*), some tens of nanoseconds a key: one cache miss.
  /// - Throws: ``RunsError``.
  package static func build(
    of snapshot: RunsSnapshot, in view: TransactionView
  ) throws(RunsError) -> KeyFilter {
    var filter = KeyFilter(capacity: 2 * snapshot.entryCount)
    try snapshot.forEachBlock(in: view) { (entries: [RunEntry]) throws(RunsError) in
      for entry in entries { filter.insert(entry.key) }
    }
    return filter
  }

  /// Whether it holds as many keys as it is made for.
  package var isFull: Bool { count >= capacity }

  /// The bytes that it takes in memory.
  package var byteCount: Int { blocks.count * Self.blockBits / 8 }

  /// Whether `key` may have been inserted; when false, it was not.
  ///
  /// - Complexity: O(1): one cache line.
  @inline(__always)
  package func mayContain(_ key: UInt64) -> Bool {
    let (index, bits) = place(of: key)
    return bits & ~blocks[index] == SIMD8(repeating: 0)
  }

  /// Puts `key` in; false when it was taken for known already.
  ///
  /// - Complexity: O(1).
  @inline(__always)
  @discardableResult
  package mutating func insert(_ key: UInt64) -> Bool {
    let (index, bits) = place(of: key)
    let old = blocks[index]
    guard bits & ~old != SIMD8(repeating: 0) else { return false }
    blocks[index] = old | bits
    count &+= 1
    return true
  }

  /// The number of the block of `key`, and one bit for each of its words.
  @inline(__always)
  private func place(of key: UInt64) -> (index: Int, bits: SIMD8<UInt64>) {
    // The finalizer of SplitMix64, so that keys need not be spread over all their bits.
    var hash = key
    hash = (hash ^ (hash &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash &>> 27)) &* 0x94D0_49BB_1331_11EB
    hash ^= hash &>> 31
    let index = hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: blocks.count)).high
    let lanes = SIMD8(repeating: (hash &* 0xD6E8_FEB8_6659_FD93) &>> 16)
    let bits = SIMD8(repeating: 1) &<< ((lanes &>> SIMD8(0, 6, 12, 18, 24, 30, 36, 42)) & 63)
    return (Int(truncatingIfNeeded: index), bits)
  }
}
