import LedgerEvents
import Testing

@testable import LedgerLog

@Suite("The candidate map")
struct LogCandidateMapTests {
  @Test("never misses a value that was put in, however far it grows")
  func findsEverything() {
    var map = CandidateMap()
    var random = SplitMix(state: 7)
    let hashes = (0..<20_000).map { _ in random.next() }
    for (index, hash) in hashes.enumerated() { map.insert(hash, UInt32(index + 1)) }
    #expect(map.count == hashes.count)
    for (index, hash) in hashes.enumerated() {
      #expect(map.first(hash) { $0 == UInt32(index + 1) } == UInt32(index + 1))
    }
  }

  @Test("offers every value of one hash until the right one is found")
  func severalUnderOneHash() {
    var map = CandidateMap()
    for value: UInt32 in 1...50 { map.insert(0xFFFF_FFFF_0000_0000, value) }
    var seen: Set<UInt32> = []
    let found = map.first(0xFFFF_FFFF_0000_0000) { value in
      seen.insert(value)
      return false
    }
    #expect(found == nil)
    #expect(seen == Set(1...50))
  }

  @Test("says that an absent hash is absent")
  func absent() {
    var map = CandidateMap()
    map.insert(1 << 40, 1)
    #expect(map.first(1 << 50) { _ in true } == nil)
  }

}

@Suite("The keyed hash")
struct LogKeyHashTests {
  private func hash(_ seed: UInt8) throws -> KeyHash {
    let key = [UInt8](repeating: seed, count: 16)
    let hash = KeyHash(key: key.span)
    return try #require(hash)
  }

  @Test("differs by key, by kind and by every byte")
  func differs() throws {
    let one = try hash(1)
    let two = try hash(2)
    #expect(one.id("a") != two.id("a"))
    let people = NameSeal(low: HashKey(low: 1, high: 2), high: .zero)
    let text = Array("a".utf8)
    let account = try one.name(text.span, .account, people)
    #expect(try account != one.name(text.span, .device, people))
    #expect(try one.name(text.span, .app, nil) != one.name(text.span, .product, nil))
    #expect(one.id("12345678") != one.id("12345679"))
    #expect(one.id("123456789") != one.id("12345678\0"))
    #expect(one.id("1234567") != one.id("1234567\0"))
  }

  @Test("takes keys of 16 bytes alone")
  func keyLength() {
    let key = [UInt8](repeating: 1, count: 15)
    let hash = KeyHash(key: key.span)
    #expect(hash.map { _ in 1 } == nil)
  }

  @Test("spreads counted ids over all its bits")
  func spreads() throws {
    let hash = try hash(9)
    var ones = [Int](repeating: 0, count: 64)
    let count = 4_096
    for number in 0..<count {
      let value = hash.id(Name("018f6f2e-3b7a-7c11-9f00-\(100_000_000_000 + number)"))
      for bit in 0..<64 where value >> UInt64(bit) & 1 == 1 { ones[bit] += 1 }
    }
    for bit in 0..<64 { #expect((1_800...2_300).contains(ones[bit]), "bit \(bit)") }
  }
}

/// Seeded random numbers (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
