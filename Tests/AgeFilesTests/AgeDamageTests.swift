import Foundation
import Testing

@testable import AgeFiles

@Suite("Damaged files of age") struct AgeDamageTests {
  private static let fileKey = [UInt8](repeating: 7, count: 16)
  private static let nonce = [UInt8](repeating: 9, count: 16)

  /// A stanza for the first identity that holds the file key.
  private static func stanza() throws -> AgeStanza {
    var random = SeededNumbers(state: 5)
    return try AgeStanza(fileKey, to: AgeRecipient(AgeSamples.firstRecipient), using: &random)
  }

  /// A file with these stanzas, and chunks of these lengths; the last is marked so if `isEnded`.
  private static func file(
    _ stanzas: [AgeStanza], chunks: [Int] = [3], isEnded: Bool = true
  ) -> [UInt8] {
    let key = AgePayloadKey(fileKey: fileKey, nonce: nonce)
    var file = AgeHeader(stanzas, fileKey: fileKey).bytes + nonce
    for (number, count) in chunks.enumerated() {
      let isLast = isEnded && number == chunks.count - 1
      file += key.seal(
        [UInt8](repeating: 1, count: count),
        nonce: AgePayloadKey.nonce(ofChunk: UInt64(number), isLast: isLast))
    }
    return file
  }

  private func expect(
    _ code: AgeError.Code, _ file: [UInt8], _ what: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: AgeError.self, what, sourceLocation: sourceLocation) {
      try AgeSamples.opened(file)
    }
    #expect(error?.code == code, what, sourceLocation: sourceLocation)
  }

  @Test("every flipped bit and every shorter file is refused") func everyByte() throws {
    let file = try AgeSamples.sealed(AgeSamples.plain)
    #expect(try AgeSamples.opened(file) == AgeSamples.plain)
    for index in file.indices {
      for bit in [0, 3, 7] {
        var changed = file
        changed[index] ^= 1 << bit
        #expect(throws: AgeError.self, "bit \(bit) of byte \(index)") {
          try AgeSamples.opened(changed)
        }
      }
      #expect(throws: AgeError.self, "cut to \(index) bytes") {
        try AgeSamples.opened(Array(file[..<index]))
      }
    }
    expect(.damaged, file + [0], "one byte more")
    expect(.damaged, file + file, "the file twice")
  }

  @Test("chunks that are missing, doubled, swapped or empty are refused") func chunks() throws {
    let stanza = try Self.stanza()
    let full = AgeSealer.chunkBytes
    let whole = Self.file([stanza], chunks: [full, full, 10])
    #expect(try AgeSamples.opened(whole).count == 2 * full + 10)
    let start = Self.file([stanza], chunks: []).count
    let sealed = full + 16
    let pieces = [
      Array(whole[start..<start + sealed]), Array(whole[(start + sealed)..<(start + 2 * sealed)]),
      Array(whole[(start + 2 * sealed)...]),
    ]
    for order in [[0, 1], [0], [1, 0, 2], [0, 2], [0, 0, 1, 2], [0, 1, 2, 2], []] {
      let changed = Array(whole[..<start]) + order.flatMap { pieces[$0] }
      expect(.damaged, changed, "\(order)")
    }
    expect(.damaged, Self.file([stanza], chunks: [full, 0]), "an empty last chunk")
    expect(.damaged, Self.file([stanza], chunks: [full], isEnded: false), "no last chunk")
    expect(.damaged, Self.file([stanza], chunks: [3, 3]), "a short chunk in the middle")
    #expect(try AgeSamples.opened(Self.file([stanza], chunks: [full])).count == full)
    #expect(try AgeSamples.opened(Self.file([stanza], chunks: [0])).isEmpty)
  }

  @Test("parts of other types are left alone, and malformed ones are not") func stanzas() throws {
    let good = try Self.stanza()
    let other = AgeStanza(arguments: ["example.org/other", "a", "b"], body: [1, 2, 3])
    #expect(try AgeSamples.opened(Self.file([other, good, other])).count == 3)
    // A body that fills its last line has an empty one after it.
    let full = AgeStanza(arguments: ["x"], body: [UInt8](repeating: 1, count: 48))
    #expect(try AgeSamples.opened(Self.file([full, good])).count == 3)
    let share = good.arguments[1]
    let zero = RawBase64.encode([UInt8](repeating: 0, count: 32))
    let bad: [(String, AgeStanza)] = [
      ("no share", AgeStanza(arguments: ["X25519"], body: good.body)),
      ("two shares", AgeStanza(arguments: ["X25519", share, share], body: good.body)),
      ("a short share", AgeStanza(arguments: ["X25519", "AAAA"], body: good.body)),
      ("a zero share", AgeStanza(arguments: ["X25519", zero], body: good.body)),
      ("padding", AgeStanza(arguments: ["X25519", share + "="], body: good.body)),
      ("a long body", AgeStanza(arguments: good.arguments, body: good.body + [0])),
      ("a short body", AgeStanza(arguments: good.arguments, body: Array(good.body.dropLast()))),
    ]
    for (what, stanza) in bad {
      expect(.malformed, Self.file([stanza]), "\(what)")
      // Behind the right one, too.
      expect(.malformed, Self.file([good, stanza]), "\(what), second")
    }
    expect(.wrongKey, Self.file([other]), "only another type")
    let lower = AgeStanza(arguments: ["x25519", share], body: good.body)
    expect(.wrongKey, Self.file([lower]), "another case")
  }

  @Test("a passphrase stands alone, and may not ask for any amount of work") func work() throws {
    var random = SeededNumbers(state: 6)
    let phrase = try AgeSamples.quick("x")
    let stanza = try AgeStanza(Self.fileKey, with: phrase, using: &random)
    func code(_ stanzas: [AgeStanza]) -> AgeError.Code? {
      let error = #expect(throws: AgeError.self) {
        try AgeFile.open(Self.file(stanzas), with: .passphrase(phrase))
      }
      return error?.code
    }
    #expect(try AgeFile.open(Self.file([stanza]), with: .passphrase(phrase)).count == 3)
    #expect(code([stanza, stanza]) == .malformed)
    #expect(code([try Self.stanza(), stanza]) == .malformed)
    expect(.malformed, Self.file([try Self.stanza(), stanza]), "with an identity")
    for work in ["", "0", "01", "+1", "1.0", "21", "64", "9999999999999999999999"] {
      let changed = AgeStanza(
        arguments: [stanza.arguments[0], stanza.arguments[1], work], body: stanza.body)
      #expect(code([changed]) == .malformed, "\(work)")
    }
  }

  @Test("a header that breaks the format is refused") func headers() throws {
    let file = Self.file([try Self.stanza()])
    let text = String(decoding: file.prefix(while: { $0 < 0x7F }), as: UTF8.self)
    let end = try #require(text.range(of: "--- "))
    let mac = text[end.upperBound...].prefix(43)
    let lines = text[..<end.lowerBound].split(separator: "\n").map(String.init)
    func refuse(_ changed: [String], _ what: Comment) {
      let header = (changed + ["--- \(mac)"]).map { $0 + "\n" }.joined()
      expect(.malformed, Array(header.utf8) + [UInt8](repeating: 0, count: 64), what)
    }
    refuse(["age-encryption.org/v2"] + lines.dropFirst(), "another version")
    refuse(["age-encryption.org/v1\r"] + lines.dropFirst(), "a carriage return")
    refuse([lines[0]], "no recipient")
    refuse([lines[0], ""] + lines.dropFirst(), "an empty line")
    refuse([lines[0], lines[1] + " ", lines[2]], "a space at the end")
    refuse([lines[0], "->  X25519 a", lines[2]], "two spaces")
    refuse([lines[0], lines[1] + " ü", lines[2]], "a letter beyond ASCII")
    refuse([lines[0], lines[1], lines[2] + "="], "padding")
    refuse([lines[0], lines[1], lines[2] + String(repeating: "A", count: 40)], "a long line")
    refuse([lines[0], lines[1], lines[2], "abcd"], "a line too many")
    refuse([lines[0], lines[1]], "no body")
    let long = String(repeating: "-> x\n\n", count: AgeHeader.bytesMax / 6 + 1)
    expect(.malformed, Array("\(lines[0])\n\(long)".utf8), "a header without an end")
    expect(.malformed, Array("-----BEGIN AGE ENCRYPTED FILE-----\n".utf8), "armor")
    expect(.malformed, [], "nothing")
  }
}
