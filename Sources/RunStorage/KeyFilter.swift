package import LMDB

/// A filter that can tell from memory, without a lookup, that most absent keys are absent.
///
/// It is a blocked Bloom filter: a key sets one bit in each of the eight words of one 64-byte
/// block, so a query costs one cache line. There are no false negatives. The rate of false
/// positives, measured with 10⁷ random keys, is 0.03 % for a full filter and 0.0005 % for a half
/// full one.
///
/// The filter works well for up to ``capacity`` keys, at 20 bits per key. When it is full, build a
/// larger one from the runs. It is a single value in memory: inserting into a copy copies
/// everything first.
///
/// Felix Putze, Peter Sanders, Johannes Singler, "Cache-, hash- and space-efficient Bloom filters"
/// (2007). One bit per word is from Apache Parquet's split block Bloom filter.
package struct KeyFilter: Sendable {
  /// The number of keys that the filter is designed for.
  package let capacity: Int

  /// The number of different keys that were inserted, except for false positives on insertion.
  package private(set) var count = 0

  /// The blocks, each the size of a cache line.
  private var blocks: [SIMD8<UInt64>]

  /// The number of bits for each key of the capacity.
  static let bitsPerKey = 20

  /// The number of bits in a block: a cache line.
  static let blockBits = 512

  /// The minimum capacity. Such a filter takes 160 KiB.
  static let capacityMin = 1 << 16

  /// The maximum capacity. Such a filter takes 10 GiB.
  static let capacityMax = 1 << 32

  /// Creates an empty filter for `capacity` keys.
  ///
  /// - Complexity: O(`capacity`): 2.5 bytes per key.
  package init(capacity: Int) {
    let capacity = min(max(capacity, Self.capacityMin), Self.capacityMax)
    self.capacity = capacity
    let blockCount = (capacity * Self.bitsPerKey + Self.blockBits - 1) / Self.blockBits
    blocks = Array(repeating: SIMD8(repeating: 0), count: blockCount)
  }

  /// Returns a filter with all keys of `snapshot` and space for as many again.
  ///
  /// - Complexity: O(*n*), tens of nanoseconds per key: one cache miss.
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

  /// Whether the filter contains as many keys as it is designed for.
  package var isFull: Bool { count >= capacity }

  /// Returns false if `key` was certainly not inserted, and true if it may have been.
  ///
  /// - Complexity: O(1): one cache line.
  @inline(__always)
  package func mayContain(_ key: UInt64) -> Bool {
    let (index, bits) = slot(of: key)
    return bits & ~blocks[index] == SIMD8(repeating: 0)
  }

  /// Inserts `key`. Returns false if the filter already seemed to contain it.
  ///
  /// - Complexity: O(1).
  @inline(__always)
  @discardableResult
  package mutating func insert(_ key: UInt64) -> Bool {
    let (index, bits) = slot(of: key)
    let old = blocks[index]
    guard bits & ~old != SIMD8(repeating: 0) else { return false }
    blocks[index] = old | bits
    count &+= 1
    return true
  }

  /// Returns the index of the block of `key`, and one bit for each of its words.
  @inline(__always)
  private func slot(of key: UInt64) -> (index: Int, bits: SIMD8<UInt64>) {
    // This is the finalizer of SplitMix64, so that keys need not use all of their bits evenly.
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
