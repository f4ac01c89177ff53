import AgeFiles
import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

@Suite("Encrypted backups") struct EncryptedBackupTests {
  private let folder: TemporaryFolder
  private let ledger: Ledger
  private let identity: AgeIdentity
  private let encryption: AgeEncryption
  private var decryption: AgeDecryption { .identities([identity]) }
  private var keys: String { folder.path + "/safe.keys" }
  private var full: String { folder.path + "/full" }

  init() throws {
    folder = try TemporaryFolder()
    ledger = try Ledger.create(
      at: folder.ledger, options: Environment.Options(sync: .onRequest), clock: fixedClock)
    var random = SystemRandomNumberGenerator()
    identity = AgeIdentity(using: &random)
    encryption = .recipients([identity.recipient])
  }

  private func append(_ numbers: Range<Int>) throws {
    try ledger.appendAndWait(
      numbers.flatMap { number in
        var event = Event(
          id: Name("p-\(number)"), type: EventType(.transactionPurchased),
          occurredAt: Instant(
            microseconds: 1_600_000_000_000_000 + Int64(number) * Instant.second))
        event.source = EventSource(.app)
        event.account = Name("person-\(number / 3)@example.org")
        event.transaction = Name("t-\(number)")
        event.product = Name("product-\(number % 5)")
        return [EventInput(event: event), note("n-\(number)", "She called about \(number).")]
      })
  }

  private func backUp() throws -> LedgerCopy {
    let copy = try ledger.backUp(to: full, encryption: encryption)
    try ledger.backUpKeys(to: keys, encryption: encryption)
    return copy
  }

  private func restore(
    _ decryption: AgeDecryption?, _ increments: [String] = []
  ) throws -> LedgerCopy {
    try Ledger.restore(
      full, increments: increments, to: folder.path + "/restored", keys: .file(keys),
      decryption: decryption)
  }

  private func lines(of log: EventLog) throws -> [[UInt8]] {
    try log.allEvents().map { EventEncoder().encode($0.event) }
  }

  private func restoredLines() throws -> [[UInt8]] {
    let log = try EventLog(open: folder.path + "/restored", access: .readOnly)
    defer { #expect(throws: Never.self) { try log.close() } }
    return try lines(of: log)
  }

  /// Every byte of every file in a folder.
  private func contents(of path: String) throws -> Data {
    let names = try FileManager.default.subpathsOfDirectory(atPath: path)
    return try names.sorted().reduce(into: Data()) { data, name in
      let file = path + "/" + name
      let type = try FileManager.default.attributesOfItem(atPath: file)[.type]
      if type as? FileAttributeType == .typeRegular {
        data += try Data(contentsOf: URL(filePath: file))
      }
    }
  }

  private func left() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.contains(".part")
    }
  }

  @Test("the full one and its increments become the same ledger, whole and verified")
  func chain() throws {
    try append(0..<700)
    let first = try backUp()
    try append(700..<750)
    let second = try ledger.backUp(
      since: first.position, to: folder.path + "/i1", encryption: encryption)
    // A plain increment may follow on encrypted ones.
    try append(750..<760)
    let third = try ledger.backUp(since: second.position, to: folder.path + "/i2")
    try ledger.backUpKeys(to: keys, encryption: encryption)
    let restored = try restore(decryption, [folder.path + "/i1", folder.path + "/i2"])
    #expect(restored.position == third.position && restored.root == third.root)
    #expect(restored.keyFaults.isEmpty && restored.keysMissing == 0)
    #expect(try restoredLines() == lines(of: ledger.log))
    let again = try Ledger(at: folder.path + "/restored", clock: fixedClock)
    #expect(again.log.identity.ledger == ledger.log.identity.ledger)
    #expect(again.log.identity.createdAt == ledger.log.identity.createdAt)
    try again.appendAndWait([note("later", "It goes on.")])
    #expect(try again.log.verify().faults.isEmpty)
    #expect(try again.checkProjections() == [])
    try again.close()
    #expect(try left() == [])
  }

  @Test("parts that are encrypted differently are restored together, each with what opens it")
  func mixedSecrets() throws {
    var random = SystemRandomNumberGenerator()
    let other = AgeIdentity(using: &random)
    let (first, second) = try (
      AgePassphrase(Array("correct horse".utf8), workFactor: 2),
      AgePassphrase(Array("battery staple".utf8), workFactor: 2)
    )
    let increments = [folder.path + "/i1", folder.path + "/i2"]
    try append(0..<20)
    var copy = try ledger.backUp(to: full, encryption: .passphrase(first))
    try append(20..<30)
    copy = try ledger.backUp(since: copy.position, to: increments[0], encryption: encryption)
    try append(30..<40)
    copy = try ledger.backUp(
      since: copy.position, to: increments[1], encryption: .passphrase(second))
    try ledger.backUpKeys(to: keys, encryption: .recipients([other.recipient]))
    for (identities, passphrases, part) in [
      ([identity, other], [second], "full/log/full.age"),
      ([other], [first, second], "i1/log/increment.age"),
      ([identity, other], [first], "i2/log/increment.age"),
      ([identity], [first, second], "safe.keys"),
      ([], [first, second], "i1/log/increment.age"),
      ([identity, other], [], "full/log/full.age"),
    ] as [([AgeIdentity], [AgePassphrase], String)] {
      let error = #expect(throws: LedgerError.self) {
        try restore(AgeDecryption(identities: identities, passphrases: passphrases), increments)
      }
      #expect(error?.code == .keysMissing)
      #expect(error?.message.contains(part) == true, "\(part): \(error?.message ?? "")")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/restored"))
    }
    #expect(try left() == [])
    let restored = try restore(
      AgeDecryption(identities: [other, identity], passphrases: [second, first]), increments)
    #expect(restored.root == copy.root && restored.keyFaults.isEmpty)
    #expect(try restoredLines() == lines(of: ledger.log))
  }

  @Test("a plain file beside an encrypted one, or another log beside either, is refused")
  func twoFiles() throws {
    try append(0..<20)
    let made = try backUp()
    let (encrypted, plain) = (full + "/log/full.age", full + "/log/full")
    let bytes = try AgeFile.open(
      [UInt8](Data(contentsOf: URL(filePath: encrypted))), with: decryption)
    try Data(bytes).write(to: URL(filePath: plain))
    let data = full + "/log/data.mdb"
    func refused(_ words: String) {
      let error = #expect(throws: LedgerError.self) { try restore(decryption) }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    refused("There are both \(plain) and \(encrypted)")
    try FileManager.default.moveItem(atPath: plain, toPath: folder.path + "/aside")
    try FileManager.default.copyItem(atPath: folder.ledger + "/log/data.mdb", toPath: data)
    refused("There are both \(data) and a full backup")
    try FileManager.default.removeItem(atPath: encrypted)
    try FileManager.default.moveItem(atPath: folder.path + "/aside", toPath: plain)
    refused("There are both \(data) and a full backup")
    try FileManager.default.removeItem(atPath: data)
    #expect(try left() == [])
    #expect(try restore(decryption).root == made.root)
  }

  @Test("a plain increment beside an encrypted one is refused") func twoIncrements() throws {
    try append(0..<20)
    let first = try backUp()
    try append(20..<30)
    let (one, other) = (folder.path + "/i1", folder.path + "/i2")
    _ = try ledger.backUp(since: first.position, to: one, encryption: encryption)
    _ = try ledger.backUp(since: first.position, to: other)
    try FileManager.default.copyItem(
      atPath: other + "/log/increment", toPath: one + "/log/increment")
    try ledger.backUpKeys(to: keys, encryption: encryption)
    let error = #expect(throws: LedgerError.self) { try restore(decryption, [one]) }
    #expect(error?.message.contains("There are both") == true, "\(error?.message ?? "")")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/restored"))
  }

  @Test("an empty ledger, too") func empty() throws {
    #expect(try backUp().position == 0)
    #expect(try restore(decryption).position == 0)
  }

  @Test("nothing of the ledger can be read in it, nor in the copy of the keys") func secret() throws
  {
    try append(0..<50)
    _ = try backUp()
    let plain = folder.path + "/plain"
    _ = try ledger.backUp(to: plain)
    let word = Data("product-3".utf8)
    // The control: a plain backup has the names of products.
    #expect(try contents(of: plain).range(of: word) != nil)
    #expect(try contents(of: full).range(of: word) == nil)
    let source = try Data(contentsOf: URL(filePath: folder.ledger + "/keys"))
    let copy = try Data(contentsOf: URL(filePath: keys))
    #expect(copy.range(of: source.prefix(64)) == nil)
    #expect(copy.range(of: source.suffix(32)) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: full + "/log") == ["full.age"])
    let rights = try FileManager.default.attributesOfItem(atPath: full + "/log/full.age")
    #expect(rights[.posixPermissions] as? Int == 0o600)
  }

  @Test("it is not restored without its key, or with another, which is said") func wrongKey() throws
  {
    try append(0..<5)
    _ = try backUp()
    var random = SystemRandomNumberGenerator()
    let phrase = try AgePassphrase(Array("x".utf8), workFactor: 1)
    for (other, words) in [
      (nil, "is encrypted: name what decrypts it"),
      (.identities([AgeIdentity(using: &random)]), "encrypted to other keys"),
      (.passphrase(phrase), "not with a passphrase"),
    ] as [(AgeDecryption?, String)] {
      let error = #expect(throws: LedgerError.self) { try restore(other) }
      #expect(error?.code == .keysMissing)
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("full.age") == true)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/restored"))
    #expect(try left() == [])
  }

  @Test("a passphrase encrypts the backup and the keys") func passphrase() throws {
    try append(0..<5)
    let phrase = try AgePassphrase(Array("correct horse".utf8), workFactor: 2)
    _ = try ledger.backUp(to: full, encryption: .passphrase(phrase))
    try ledger.backUpKeys(to: keys, encryption: .passphrase(phrase))
    let other = try AgePassphrase(Array("battery staple".utf8))
    let error = #expect(throws: LedgerError.self) { try restore(.passphrase(other)) }
    #expect(error?.message.contains("the passphrase is wrong") == true)
    #expect(try restore(.passphrase(phrase)).position == 10)
  }

  @Test("a changed byte, a missing end or something at the end is refused, and nothing is left")
  func damaged() throws {
    try append(0..<600)
    _ = try backUp()
    let file = URL(filePath: full + "/log/full.age")
    let whole = try Data(contentsOf: file)
    // More than one chunk.
    try #require(whole.count > 70_000)
    var versions: [Data] = [
      Data(), whole.dropLast(1), whole.prefix(200), whole.prefix(65_552 + 200), whole + [0],
    ]
    for index in stride(from: 0, to: whole.count, by: whole.count / 23) {
      var flipped = whole
      flipped[index] ^= 4
      versions.append(flipped)
    }
    for version in versions {
      try version.write(to: file)
      #expect(throws: LedgerError.self) { try restore(decryption) }
    }
    try whole.write(to: file)
    let source = try Data(contentsOf: URL(filePath: keys))
    for version in [source.dropLast(1), source + [0]] {
      try version.write(to: URL(filePath: keys))
      #expect(throws: LedgerError(.corrupt, "")) { try restore(decryption) }
    }
    try source.write(to: URL(filePath: keys))
    #expect(try left() == [])
    _ = try restore(decryption)
  }

  @Test("somebody who can encrypt to the recipient cannot change what the root says")
  func forged() throws {
    try append(0..<5)
    _ = try backUp()
    let file = URL(filePath: full + "/log/full.age")
    var plain = try AgeFile.open([UInt8](Data(contentsOf: file)), with: decryption)
    let word = try #require(Data(plain).range(of: Data("product-3".utf8)))
    plain[word.upperBound - 1] = UInt8(ascii: "4")
    var random = SystemRandomNumberGenerator()
    try Data(AgeFile.seal(plain, for: encryption, using: &random)).write(to: file)
    let error = #expect(throws: LedgerError.self) { try restore(decryption) }
    #expect(error?.code == .corrupt)
  }

  @Test("what age has decrypted is restored without a key") func decryptedElsewhere() throws {
    try append(0..<20)
    let made = try backUp()
    let file = full + "/log/full.age"
    let plain = try AgeFile.open(
      [UInt8](Data(contentsOf: URL(filePath: file))), with: decryption)
    try Data(plain).write(to: URL(filePath: full + "/log/full"))
    try FileManager.default.removeItem(atPath: file)
    let source = [UInt8](try Data(contentsOf: URL(filePath: keys)))
    let plainKeys = Data(try AgeFile.open(source, with: decryption))
    try #expect(plainKeys == Data(contentsOf: URL(filePath: folder.ledger + "/keys")))
    try plainKeys.write(to: URL(filePath: keys))
    #expect(try restore(nil).root == made.root)
  }

  @Test("it holds what was erased as erased, and keys may be given up") func erased() throws {
    try append(0..<9)
    var erasure = Event(
      id: "e1", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = "person-1@example.org"
    try ledger.erase(erasure)
    _ = try backUp()
    #expect(try restore(decryption).keyFaults.isEmpty)
    #expect(try restoredLines() == lines(of: ledger.log))
    let copy = try Ledger.restore(
      full, to: folder.path + "/keyless", keys: .none, decryption: decryption)
    #expect(copy.keysMissing > 0)
  }
}
