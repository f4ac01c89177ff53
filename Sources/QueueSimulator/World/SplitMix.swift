/// A random number generator that gives the same numbers on every machine: SplitMix64 (Steele, Lea
/// and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014).
public struct SplitMix: Hashable, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// The generator of one of many runs, which is independent of the others.
  public init(seed: UInt64, run: UInt64) {
    var outer = SplitMix(seed: seed)
    self.init(seed: outer.next() ^ (run &* 0x9E37_79B9_7F4A_7C15))
    _ = next()
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A number from 0 up to but not including `bound`, which must be positive.
  public mutating func below(_ bound: Int) -> Int {
    // For bounds far below 2⁶⁴, the high half of the product is uniform enough, and it never
    // rejects.
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
