import Testing

@testable import AgeFiles

@Suite("Files of age") struct AgeFileTests {
  @Test("what age has made is decrypted") func madeByAge() throws {
    for identity in [AgeSamples.first, AgeSamples.second] {
      let plain = try AgeFile.open(AgeSamples.toBoth, with: AgeSamples.identities(identity))
      #expect(plain == AgeSamples.plain)
    }
    #expect(try AgeSamples.opened(AgeSamples.empty) == [])
    let phrase = try AgePassphrase(Array("\(AgeSamples.phrase)\n".utf8))
    #expect(
      try AgeFile.open(AgeSamples.withPassphrase, with: .passphrase(phrase)) == AgeSamples.plain)
  }

  @Test(
    "what is encrypted is decrypted again, whatever its length",
    arguments: [0, 1, 15, 16, 65_535, 65_536, 65_537, 131_072, 131_073, 300_000])
  func roundTrip(count: Int) throws {
    var random = SeededNumbers(state: UInt64(count))
    let plain = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    let recipients = try [AgeSamples.firstRecipient, AgeSamples.secondRecipient].map {
      try AgeRecipient($0)
    }
    var sealer = try AgeSealer(for: .recipients(recipients), using: &random)
    var file = sealer.start
    var rest = plain[...]
    while !rest.isEmpty {
      let piece = Int.random(in: 1...100_000, using: &random)
      sealer.seal(Array(rest.prefix(piece)), into: &file)
      rest = rest.dropFirst(piece)
    }
    sealer.finish(into: &file)
    for identity in [AgeSamples.first, AgeSamples.second] {
      #expect(try AgeFile.open(file, with: AgeSamples.identities(identity)) == plain)
    }
    // By whoever wrote it, without an identity.
    let opener = try sealer.opener(byteCount: file.count)
    #expect(opener.plainByteCount == count)
    var chunks: [UInt8] = []
    var chunk = 0
    while let range = opener.range(ofChunk: chunk) {
      chunks += try opener.open(Array(file[range]), chunk: chunk)
      chunk += 1
    }
    #expect(chunks == plain)
    #expect(chunk == max(1, (count + 65_535) / 65_536))
  }

  @Test("a passphrase encrypts, and another one does not decrypt") func passphrase() throws {
    var random = SeededNumbers(state: 3)
    let file = try AgeFile.seal(
      AgeSamples.plain, for: .passphrase(AgeSamples.quick("open sesame")), using: &random)
    #expect(
      try AgeFile.open(file, with: .passphrase(AgeSamples.quick("open sesame")))
        == AgeSamples.plain)
    let error = #expect(throws: AgeError.self) {
      try AgeFile.open(file, with: .passphrase(AgeSamples.quick("open sesami")))
    }
    #expect(error?.code == .wrongKey && error?.message == "the passphrase is wrong")
  }

  @Test("a wrong kind of key is named") func wrongKeys() throws {
    let toFirst = try AgeSamples.sealed([1])
    let other = #expect(throws: AgeError.self) {
      try AgeFile.open(toFirst, with: AgeSamples.identities(AgeSamples.second))
    }
    #expect(other?.code == .wrongKey && other?.message.contains("other keys") == true)
    let phrase = #expect(throws: AgeError.self) {
      try AgeFile.open(toFirst, with: .passphrase(AgeSamples.quick("x")))
    }
    #expect(phrase?.code == .wrongKey && phrase?.message.contains("name an identity") == true)
    let identity = #expect(throws: AgeError.self) {
      try AgeSamples.opened(AgeSamples.withPassphrase)
    }
    #expect(identity?.code == .wrongKey && identity?.message.contains("the passphrase") == true)
  }

  @Test("two files of the same bytes have nothing in common") func fresh() throws {
    var random = SystemRandomNumberGenerator()
    let recipient = try AgeRecipient(AgeSamples.firstRecipient)
    let files = try (0..<2).map { _ in
      try AgeFile.seal(AgeSamples.plain, for: .recipients([recipient]), using: &random)
    }
    let ends = files.map { Array($0.suffix(AgeSamples.plain.count + 32)) }
    #expect(zip(ends[0], ends[1]).count { $0 == $1 } < 8)
    #expect(files[0].prefix(60) != files[1].prefix(60))
  }

  @Test("a file needs a recipient, and not too many") func recipientCounts() throws {
    var random = SeededNumbers(state: 1)
    for count in [0, AgeSealer.recipientsMax + 1] {
      let recipients = (0..<count).map { _ in AgeIdentity(using: &random).recipient }
      #expect(throws: AgeError.self) {
        try AgeFile.seal([], for: .recipients(recipients), using: &random)
      }
    }
    let many = (0..<AgeSealer.recipientsMax).map { _ in AgeIdentity(using: &random) }
    let file = try AgeFile.seal(
      [7], for: .recipients(many.map(\.recipient)), using: &random)
    #expect(try AgeFile.open(file, with: .identities([many[99]])) == [7])
  }
}
