/// Random numbers that are the same for a seed on every machine and with every toolchain:
/// SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014).
///
/// The standard library's algorithms on top of a generator can change; these are fixed.
public struct SeededRandom: Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// Returns a number from 0 up to but not including `bound`, which must be at least 1.
  public mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns true with the probability `numerator` / `denominator`.
  public mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
    below(denominator) < numerator
  }

  /// Returns one of `choices`, which must not be empty.
  public mutating func one<Choice>(of choices: [Choice]) -> Choice { choices[below(choices.count)] }

  /// Returns the elements in random order (Fisher and Yates).
  ///
  /// - Complexity: O(*n*).
  public mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var elements = elements
    for last in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(last, below(last + 1))
    }
    return elements
  }
}
