public import LMDB

/// Says of most absent keys that they are absent, from memory and without a look-up.
///
/// A blocked Bloom filter: a key sets one bit in each of the eight words of one 64-byte block, so
/// that a question costs one cache line. It never denies a key that was inserted. Of absent keys
/// it takes for present, measured over 10⁷ random ones: 0.02 % when it is full, 0.0002 % when it
/// is half full.
///
/// It holds up to ``capacity`` keys well, at 20 bits a key; when it is full, build a larger one
/// from the runs. It is one value in memory: inserting into a copy copies everything first.
///
/// Felix Putze, Peter Sanders, Johannes Singler, "Cache-, hash- and space-efficient Bloom filters"
/// (2007); the one bit a word is that of Apache Parquet's split block Bloom filter.
public struct KeyFilter: Sendable {
  /// How many keys it is made for.
  public let capacity: Int

  /// How many different keys were inserted, less the few that it took for known.
  public internal(set) var count = 0

  /// What the caller said of the filter when it was last saved: how far it reaches.
  public internal(set) var mark: UInt64 = 0

  /// Eight words a block.
  var words: [UInt64]

  /// For each chunk the epoch of its last change, 0 when it is saved.
  var stamps: [UInt32]

  /// One more with each save begun.
  var epoch: UInt32 = 1

  /// Which saved filter this is, 0 when it never was.
  var generation: UInt32 = 0

  private let blockCount: UInt64

  /// Bits of the filter for each key of its capacity.
  static let bitsPerKey = 20

  /// Words of a block: a cache line.
  static let blockWords = 8

  /// The least capacity: 160 kB.
  static let capacityMin = 1 << 16

  /// The greatest capacity, whose filter takes 10 GB and whose blocks have 32-bit numbers.
  static let capacityMax = 1 << 32

  /// An empty filter for `capacity` keys.
  ///
  /// - Complexity: O(`capacity`): 2.5 bytes a key.
  public init(capacity: Int) {
    let capacity = min(max(capacity, Self.capacityMin), Self.capacityMax)
    self.init(capacity: capacity, blocks: Self.blocks(capacity))
  }

  /// A filter of all keys of `snapshot`, with room for as many again.
  ///
  /// - Complexity: O(*n*), 10 to 20 ns a key.
  /// - Throws: ``RunsError``.
  public static func build(
    of snapshot: RunsSnapshot, in view: TransactionView
  ) throws(RunsError) -> KeyFilter {
    var filter = KeyFilter(capacity: 2 * snapshot.entryCount)
    try snapshot.forEachBlock(in: view) { (entries: [RunEntry]) throws(RunsError) in
      for entry in entries { filter.insert(entry.key) }
    }
    return filter
  }

  init(capacity: Int, blocks: Int) {
    self.capacity = capacity
    blockCount = UInt64(blocks)
    words = Array(repeating: 0, count: blocks * Self.blockWords)
    let chunks = (words.count + Self.chunkWords - 1) / Self.chunkWords
    stamps = Array(repeating: 1, count: chunks)
  }

  static func blocks(_ capacity: Int) -> Int {
    (capacity * bitsPerKey + 64 * blockWords - 1) / (64 * blockWords)
  }

  /// Whether it holds as many keys as it is made for.
  public var isFull: Bool { count >= capacity }

  /// The bytes that it takes in memory.
  public var byteCount: Int { words.count * 8 + stamps.count * 4 }

  /// Whether `key` may have been inserted; when false, it was not.
  ///
  /// - Complexity: O(1): one cache line.
  @inline(__always)
  public func mayContain(_ key: UInt64) -> Bool {
    let (start, lanes) = place(of: key)
    var missing: UInt64 = 0
    for lane in 0..<Self.blockWords {
      let bit = lanes &>> UInt64(truncatingIfNeeded: 6 &* lane)
      missing |= ~words[start &+ lane] &>> (bit & 63)
    }
    return missing & 1 == 0
  }

  /// Puts `key` in; false when it was taken for known already.
  ///
  /// - Complexity: O(1).
  @inline(__always)
  @discardableResult
  public mutating func insert(_ key: UInt64) -> Bool {
    let (start, lanes) = place(of: key)
    var new: UInt64 = 0
    for lane in 0..<Self.blockWords {
      let bit = (lanes &>> UInt64(truncatingIfNeeded: 6 &* lane)) & 63
      let mask: UInt64 = 1 &<< bit
      new |= mask & ~words[start &+ lane]
      words[start &+ lane] |= mask
    }
    guard new != 0 else { return false }
    count &+= 1
    stamps[start / Self.chunkWords] = epoch
    return true
  }

  /// The first word of the block of `key`, and six bits for each of its words.
  @inline(__always)
  private func place(of key: UInt64) -> (start: Int, lanes: UInt64) {
    // The finalizer of SplitMix64, so that keys need not be spread over all their bits.
    var hash = key
    hash = (hash ^ (hash &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash &>> 27)) &* 0x94D0_49BB_1331_11EB
    hash ^= hash &>> 31
    let block = hash.multipliedFullWidth(by: blockCount).high
    let lanes = (hash &* 0xD6E8_FEB8_6659_FD93) &>> 16
    return (Int(truncatingIfNeeded: block &* UInt64(Self.blockWords)), lanes)
  }
}
