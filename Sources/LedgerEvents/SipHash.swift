/// The key under which a ledger hashes personal texts. It is secret and never changes during the
/// life of the ledger.
public struct HashKey: Hashable, Sendable {
  public var low: UInt64
  public var high: UInt64

  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The key for facts that exist only in memory and are never written.
  public static let zero = HashKey(low: 0, high: 0)

  /// Returns the SipHash-2-4 of a text's UTF-8 under this key (Aumasson and Bernstein, *SipHash: a
  /// fast short-input PRF*, 2012). Equal texts have equal hashes, and without the key a hash
  /// reveals nothing about its text.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public func hash(_ text: String) -> UInt64 { hash(text.utf8Span.span) }

  /// Returns the SipHash-2-4 hash of bytes under this key.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  public func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var state = SipHash(self)
    SipHash.forEachWord(of: bytes) { state.absorb($0) }
    return state.finish()
  }

  /// Returns the SipHash-2-4 of bytes under this key and under another one. The two are computed
  /// side by side, which takes a processor hardly longer than one.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package func hash(_ bytes: Span<UInt8>, and other: HashKey) -> (UInt64, UInt64) {
    var state = SipHash(self)
    var second = SipHash(other)
    SipHash.forEachWord(of: bytes) { word in
      state.absorb(word)
      second.absorb(word)
    }
    return (state.finish(), second.finish())
  }
}

private struct SipHash {
  private var word0: UInt64
  private var word1: UInt64
  private var word2: UInt64
  private var word3: UInt64

  init(_ key: HashKey) {
    word0 = key.low ^ 0x736F_6D65_7073_6575
    word1 = key.high ^ 0x646F_7261_6E64_6F6D
    word2 = key.low ^ 0x6C79_6765_6E65_7261
    word3 = key.high ^ 0x7465_6462_7974_6573
  }

  /// Calls `body` with the words that a text consists of. The last one ends with its length.
  @inline(__always)
  static func forEachWord(of bytes: Span<UInt8>, _ body: (UInt64) -> Void) {
    var index = 0
    while index + 8 <= bytes.count {
      body(load64(bytes, index))
      index += 8
    }
    var word = UInt64(truncatingIfNeeded: bytes.count) << 56
    while index < bytes.count {
      word |= UInt64(bytes[index]) << (8 * UInt64(index & 7))
      index += 1
    }
    body(word)
  }

  mutating func absorb(_ word: UInt64) {
    word3 ^= word
    round()
    round()
    word0 ^= word
  }

  mutating func finish() -> UInt64 {
    word2 ^= 0xFF
    for _ in 0..<4 { round() }
    return word0 ^ word1 ^ word2 ^ word3
  }

  private mutating func round() {
    word0 &+= word1
    word1 = word1 << 13 | word1 >> 51
    word1 ^= word0
    word0 = word0 << 32 | word0 >> 32
    word2 &+= word3
    word3 = word3 << 16 | word3 >> 48
    word3 ^= word2
    word0 &+= word3
    word3 = word3 << 21 | word3 >> 43
    word3 ^= word0
    word2 &+= word1
    word1 = word1 << 17 | word1 >> 47
    word1 ^= word2
    word2 = word2 << 32 | word2 >> 32
  }
}
