import EventMix

/// Makes inputs out of seeds: each is a function of a number alone, so that a failure is shown
/// again by its number.
struct Mutator: RandomNumberGenerator {
  private var random: SplitMix64

  init(seed: UInt64, iteration: UInt64) {
    random = SplitMix64(seed: seed &+ iteration &* 0xD134_2543_DE82_EF95)
  }

  mutating func next() -> UInt64 { random.next() }

  mutating func below(_ bound: Int) -> Int { bound <= 0 ? 0 : Int(next() % UInt64(bound)) }

  /// A seed with up to eight changes.
  mutating func mutate(_ seeds: [[UInt8]], tokens: [[UInt8]]) -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0..<below(8) { change(&bytes, seeds, tokens) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8], _ seeds: [[UInt8]], _ tokens: [[UInt8]]) {
    let at = below(bytes.count + 1)
    switch below(9) {
    case 0 where at < bytes.count: bytes[at] ^= 1 << UInt8(below(8))
    case 1 where at < bytes.count: bytes[at] = UInt8(below(256))
    case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + below(8)))
    case 3: bytes.insert(contentsOf: tokens[below(tokens.count)], at: at)
    case 4:
      // A part of another seed, so that fields of one type meet another.
      let other = seeds[below(seeds.count)]
      let start = below(other.count)
      bytes.insert(contentsOf: other[start..<min(other.count, start + below(64))], at: at)
    case 5:
      // A part of itself twice: repeated members, longer arrays.
      let end = min(bytes.count, at + below(64))
      bytes.insert(contentsOf: bytes[at..<end], at: end)
    case 6: bytes.removeSubrange(at...)
    case 7: replaceValue(&bytes, tokens)
    default: swapMembers(&bytes)
    }
  }

  /// Puts a token in the place of what stands between a colon and the next comma or brace.
  private mutating func replaceValue(_ bytes: inout [UInt8], _ tokens: [[UInt8]]) {
    let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
    guard !colons.isEmpty else { return }
    let start = colons[below(colons.count)] + 1
    let end = bytes[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
    bytes.replaceSubrange(start..<(end ?? bytes.count), with: tokens[below(tokens.count)])
  }

  /// Turns two parts between commas around.
  private mutating func swapMembers(_ bytes: inout [UInt8]) {
    let commas = bytes.indices.filter { bytes[$0] == UInt8(ascii: ",") }
    guard commas.count >= 3 else { return }
    let middle = 1 + below(commas.count - 2)
    let left = bytes[commas[middle - 1]..<commas[middle]]
    let right = bytes[commas[middle]..<commas[middle + 1]]
    bytes.replaceSubrange(commas[middle - 1]..<commas[middle + 1], with: Array(right + left))
  }
}
