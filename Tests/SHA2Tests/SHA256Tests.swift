import Crypto
import Testing

@testable import SHA2

@Suite("SHA-256") struct SHA256Tests {
  /// Texts and hashes of FIPS 180-4's examples and of NIST's CAVP (SHA256ShortMsg.rsp).
  static let known: [(text: [UInt8], hash: String)] = [
    ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ([0xD3], "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
    ([0x11, 0xAF], "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
    ([0xB4, 0x19, 0x0E], "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      Array(
        ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (
      [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test("gives the published hashes, with and without the processor's instructions")
  func published() {
    for (text, hash) in Self.known {
      #expect(digits(SHA256Words(hashing: text.span)) == hash)
      #expect(digits(SHA256Words(portablyHashing: text.span)) == hash)
    }
  }

  @Test("agrees with the cryptography library for every length up to five blocks")
  func everyLength() {
    var random = Numbers()
    for count in 0...320 {
      let text = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let expected = library(text)
      #expect(digits(SHA256Words(hashing: text.span)) == expected, "\(count) bytes")
      #expect(digits(SHA256Words(portablyHashing: text.span)) == expected, "\(count) bytes")
    }
  }

  @Test("agrees with the cryptography library for bytes at any place in memory")
  func places() {
    var random = Numbers()
    let bytes = (0..<4_096).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for _ in 0..<2_000 {
      let start = Int(random.next() % 1_024)
      let range = start..<start + Int(random.next() % 3_072)
      let part = bytes.span.extracting(range)
      let expected = library(Array(bytes[range]))
      #expect(digits(SHA256Words(hashing: part)) == expected, "\(range)")
      #expect(digits(SHA256Words(portablyHashing: part)) == expected, "\(range)")
    }
  }

  private func library(_ text: [UInt8]) -> String {
    SHA256.hash(data: text).map { byte in Self.digits(UInt64(byte), 2) }.joined()
  }

  private func digits(_ hash: SHA256Words) -> String {
    [hash.word0, hash.word1, hash.word2, hash.word3].map { Self.digits($0, 16) }.joined()
  }

  private static func digits(_ number: UInt64, _ count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: count - text.utf8.count) + text
  }
}

/// The same numbers in each run (SplitMix64).
private struct Numbers {
  private var state: UInt64 = 2026

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
