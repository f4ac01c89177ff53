import Crypto
import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import SignedStoreData

@Suite("A JWS") struct CompactFormTests {
  private let samples: SigningSamples
  private let verifier: SignedDataVerifier
  private let good: [UInt8]

  init() throws {
    samples = try SigningSamples()
    verifier = try samples.verifier()
    good = try samples.jws(SigningSamples.transaction())
  }

  private func verify(_ text: [UInt8]) throws -> VerifiedData {
    try verifier.verify(text, at: SigningSamples.now)
  }

  @Test("is verified at its time of signing, long after its certificate has expired")
  func verified() throws {
    let data = try verify(good)
    #expect(data.kind == .transaction)
    #expect(data.environment == .production)
    #expect(data.bundleID == SigningSamples.bundleID)
    #expect(data.signedAt == SigningSamples.instant(SigningSamples.signedAt))
    #expect(String(decoding: data.payload, as: UTF8.self) == SigningSamples.transaction())
    #expect(data.content["transactionId"]?.string == "1")
    #expect(data.certificates.map(\.role) == [.leaf, .intermediate, .root])
    #expect(data.certificates[0].serialNumber == "3a4c656166")
    #expect(data.certificates[0].subject == "CN=Leaf")
    #expect(data.certificates[0].issuer == "CN=Intermediate")
    #expect(
      data.certificates.map(\.fingerprint)
        == samples.der.map { CertificateFingerprint(ofDER: $0) })
    #expect(!data.isLocal)
    #expect(data.nested.isEmpty)
  }

  @Test("is refused with any bit of its signature flipped") func everyBit() throws {
    _ = try verify(good)
    let parts = good.split(separator: UInt8(ascii: "."))
    let decoded = StrictBase64.decode(Array(parts[2]).span, .url)
    let signature = try #require(decoded)
    #expect(signature.count == 64)
    for index in signature.indices {
      for bit in 0..<8 {
        var changed = signature
        changed[index] ^= 1 << bit
        let last = Array(SigningSamples.base64URL(changed).utf8)
        let text = Array(parts[0] + [0x2E] + parts[1] + [0x2E]) + last
        expectRefusal(.badSignature, .leaf, comment: "bit \(bit) of byte \(index)") {
          try verify(text)
        }
      }
    }
  }

  @Test("is refused with any of its letters changed, left out or doubled") func everyLetter()
    throws
  {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let header = try #require(good.firstIndex(of: UInt8(ascii: ".")))
    for index in good.indices {
      var changed = good
      let other = letters[(index * 7 + 1) % 64]
      changed[index] = changed[index] == other ? letters[(index * 7 + 2) % 64] : other
      #expect(throws: SignedDataError.self, "letter \(index)") { try verify(changed) }
      // A change of the header costs the verification of another chain.
      guard index > header || index % 16 == 0 else { continue }
      let left = Array(good[..<index] + good[(index + 1)...])
      #expect(throws: SignedDataError.self, "without letter \(index)") { try verify(left) }
      let doubled = Array(good[...index] + good[index...])
      #expect(throws: SignedDataError.self, "letter \(index) twice") { try verify(doubled) }
    }
    #expect(verifier.rememberedChainCount <= 1)
    _ = try verify(good)
  }

  @Test("is refused if it was cut short or goes on") func length() throws {
    _ = try verify(good)
    for count in stride(from: 0, to: good.count, by: 7) {
      #expect(throws: SignedDataError.self, "\(count) bytes") {
        try verify(Array(good[..<count]))
      }
    }
    for more in ["=", "==", "\n", " ", "A", ".", ".A", "AA", "AAAA"] {
      #expect(throws: SignedDataError.self, "\(more)") { try verify(good + Array(more.utf8)) }
      #expect(throws: SignedDataError.self, "\(more)") { try verify(Array(more.utf8) + good) }
    }
    expectRefusal(.malformed) { try verify([]) }
    expectRefusal(.malformed) { try verify(Array("{\"signedPayload\":\"…\"}".utf8)) }
  }

  @Test("is refused with padding, or with other letters for the same bytes") func base64() throws {
    func decoded(_ text: String, _ alphabet: StrictBase64.Alphabet) -> [UInt8]? {
      StrictBase64.decode(Array(text.utf8).span, alphabet)
    }
    #expect(decoded("", .url) == [])
    #expect(decoded("-_-_", .url) == [0xFB, 0xFF, 0xBF])
    #expect(decoded("+/+/", .padded) == [0xFB, 0xFF, 0xBF])
    #expect(decoded("AQ", .url) == [1])
    #expect(decoded("AQ==", .padded) == [1])
    #expect(decoded("AQI", .url) == [1, 2])
    #expect(decoded("AQI=", .padded) == [1, 2])
    for text in [
      "AQ==", "AQI=", "A", "AQID-", "AR", "AQJ", "+/+/", "A Q", "AQ\n", "AQé", "=", "==",
    ] {
      #expect(decoded(text, .url) == nil, "\(text)")
    }
    for text in [
      "AQ", "AQI", "AQ=", "AQ===", "AR==", "AQJ=", "-_-_", "====", "A===", "=QID", "AQ=I",
    ] {
      #expect(decoded(text, .padded) == nil, "\(text)")
    }
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ length) }
      #expect(decoded(Data(bytes).base64EncodedString(), .padded) == bytes)
      #expect(decoded(SigningSamples.base64URL(bytes), .url) == bytes)
    }
  }

  @Test("is refused if it is too large, before anything is decoded") func huge() throws {
    let many = [UInt8](repeating: UInt8(ascii: "A"), count: signedDataBytesMax + 1)
    expectRefusal(.tooLarge) { try verify(many) }
    let long = [UInt8](repeating: UInt8(ascii: "A"), count: signedHeaderBytesMax + 4)
    expectRefusal(.tooLarge) { try verify(long + Array(".AAAA.AAAA".utf8)) }
    var large = samples.der
    large[0] = [UInt8](repeating: 0x30, count: certificateBytesMax + 1)
    expectRefusal(.tooLarge, .leaf) {
      try verify(try samples.jws("{}", header: SigningSamples.header(large)))
    }
    let padding = String(repeating: "x", count: 100_000)
    let big = SigningSamples.transaction(more: ",\"note\":\"\(padding)\"")
    #expect(try verify(try samples.jws(big)).payload.count > 100_000)
  }

  @Test("is quoted in errors without control characters, and briefly")
  func quoted() throws {
    let accents = "a" + String(repeating: "\u{301}", count: 9_000)
    for name in ["x\\n2026-11-23 accepted\\u001b[2J", "\u{202E}level", accents] {
      let header = SigningSamples.header(samples.der, algorithm: name)
      let error = try #require(throws: SignedDataError.self) {
        try verify(try samples.jws(SigningSamples.transaction(), header: header))
      }
      #expect(error.code == .unsupportedAlgorithm)
      #expect(error.description.utf8.count < 1_200)
      #expect(
        error.description.unicodeScalars.allSatisfy {
          ![.control, .format].contains($0.properties.generalCategory)
        })
    }
  }

  @Test("is refused with another algorithm, however it is written") func algorithms() throws {
    for name in ["none", "HS256", "ES384", "RS256", "EdDSA", "es256", "ES256 ", ""] {
      let header = SigningSamples.header(samples.der, algorithm: name)
      expectRefusal(.unsupportedAlgorithm, comment: "\(name)") {
        try verify(try samples.jws(SigningSamples.transaction(), header: header))
      }
    }
    // Signed with the public key as a secret, as if the verifier were asked for HMAC.
    let parts = [
      SigningSamples.header(samples.der, algorithm: "HS256"), SigningSamples.transaction(),
    ].map { SigningSamples.base64URL(Array($0.utf8)) }
    let signed = Array(parts.joined(separator: ".").utf8)
    let secret = SymmetricKey(data: samples.key.publicKey.derRepresentation)
    let code = Array(HMAC<SHA256>.authenticationCode(for: signed, using: secret))
    for signature in [code, code + code, []] {
      #expect(throws: SignedDataError.self) {
        try verify(signed + [0x2E] + Array(SigningSamples.base64URL(signature).utf8))
      }
    }
  }

  @Test("is refused with a header that is not one") func headers() throws {
    let right = SigningSamples.header(samples.der)
    let certificate = Data(samples.der[0]).base64EncodedString()
    for header in [
      "", "[]", "1", "{", right + "x", "{\"alg\":\"ES256\"}", "{\"x5c\":[]}",
      "{\"alg\":256,\"x5c\":[\"\(certificate)\"]}",
      "{\"alg\":\"ES256\",\"x5c\":\"\(certificate)\"}",
      "{\"alg\":\"ES256\",\"x5c\":[1,2,3]}", "{\"alg\":\"ES256\",\"x5c\":[\"\(certificate)=\"]}",
      "{\"alg\":null,\"x5c\":[]}", right.replacing("{\"alg\"", with: "{\"alg\":\"none\",\"alg\""),
      SigningSamples.header(samples.der, more: ",\"x5c\":[]"),
      SigningSamples.header(samples.der, more: ",\"\\u0061lg\":\"none\""),
      SigningSamples.header(samples.der, more: ",\"crit\":[\"b64\"],\"b64\":false"),
      SigningSamples.header(samples.der, more: ",\"crit\":[]"),
    ] {
      expectRefusal(.malformed, comment: "\(header.prefix(60))") {
        try verify(try samples.jws(SigningSamples.transaction(), header: header))
      }
    }
    let more = SigningSamples.header(samples.der, more: ",\"kid\":\"K\",\"typ\":\"JWT\"")
    _ = try verify(try samples.jws(SigningSamples.transaction(), header: more))
  }

  @Test("is refused with a payload that is not an object") func payloads() throws {
    let twice = "{\"transactionId\":\"1\",\"transactionId\":\"2\"}"
    for payload in ["", "[]", "null", twice, "{}x"] {
      expectRefusal(.malformedPayload, comment: "\(payload)") {
        try verify(try samples.jws(payload))
      }
    }
    let absent = SigningSamples.transaction(more: ",\"price\":null,\"data\":{\"a\":null}")
    let data = try verify(try samples.jws(absent))
    #expect(data.content["price"] == nil)
    #expect(data.content["data"]?.object?.isEmpty == true)
  }
}
