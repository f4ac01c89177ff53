import Foundation
import LedgerEvents
import LedgerLog
import Testing

@Suite("verify") struct VerifyTests {
  private let ledger: TestLedger
  private var key: String { ledger.folder.path("book.key") }
  private var checkpoint: String { ledger.folder.path("kept") }
  private var signed: [String] { ["--checkpoint", checkpoint, "--key", key] }

  init() throws {
    ledger = try TestLedger()
    let line =
      #"{"id":"p1","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
      + #""source":"storekit2","account":"ada","transaction":"t-1","product":"atlas","#
      + #""data":{"price":"4.99","currency":"EUR"}}"#
    try expect(ledger.run("append", input: line))
    try expect(ledger.run("rebuild"))
    try expect(ledger.run("key", "new", "--name", "books.example.com/test", "--out", key))
    try expect(ledger.run("checkpoint", "--key", key, "--out", checkpoint))
    // So that the projections reach the end of the log.
    try expect(ledger.run("rebuild"))
  }

  private func expect(_ outcome: Outcome) throws {
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  /// Writes another price, with a checksum that fits; there are too few events for nodes of the
  /// tree.
  private func forgePrice() throws {
    let log = try EventLog(open: ledger.path, access: .readOnly)
    let record = try log.read { (view) throws(LedgerError) in
      let bytes = try view.recordBytes(at: 1)
      return bytes.indices.map { bytes[$0] }
    }
    try log.close()
    let text = String(decoding: record, as: Unicode.ASCII.self)
    try #require(text.contains("4.99"))
    var forged = Data(record)
    let price = try #require(forged.range(of: Data("4.99".utf8)))
    forged.replaceSubrange(price, with: Data("0.01".utf8))
    let body = Array(forged.dropLast(8))
    let sum = XXH64.hash(body.span)
    forged = Data(body + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) })
    let file = URL(filePath: "\(ledger.path)/log/data.mdb")
    var whole = try Data(contentsOf: file)
    while let place = whole.range(of: Data(record)) { whole.replaceSubrange(place, with: forged) }
    try whole.write(to: file)
  }

  @Test("finds nothing wrong with a good ledger, whatever it is compared with") func good() throws {
    #expect(try ledger.run("verify").status == 0)
    let found = try ledger.run(["verify"] + signed)
    #expect(found.status == 0)
    #expect(found.lines.last == "the log and the projections are intact")
    #expect(found.lines.contains("the ledger extends everything that was signed"))
  }

  @Test("calls a changed price forged, and does not advise to rebuild") func forged() throws {
    try forgePrice()
    let found = try ledger.run(["verify"] + signed)
    #expect(found.status == 1)
    #expect(found.lines.first?.contains("the ledger does not begin with the") == true)
    #expect(found.lines.last?.contains("keep this folder as evidence") == true)
    #expect(!(found.output + found.errors).contains("rebuild"))
    #expect(try ledger.run(["verify", "--format", "json"] + signed).status == 1)
  }

  @Test("notices a changed price by the kept root, and without both not at all")
  func forgedUnsigned() throws {
    try forgePrice()
    let kept = try ledger.run("verify")
    #expect(kept.status == 1)
    #expect(kept.output.contains("its root at"))
    // The control: nothing but what is kept outside can tell.
    try FileManager.default.removeItem(atPath: "\(ledger.path)/root")
    let blind = try ledger.run("verify")
    #expect(blind.output.contains("the log is intact"))
  }

  @Test("looks only at the log, or only at what follows a position, if it is asked to")
  func partly() throws {
    try FileManager.default.removeItem(atPath: "\(ledger.path)/projections")
    let log = try ledger.run("verify", "--log")
    #expect(log.status == 0)
    #expect(log.lines.last == "the log is intact; the projections were not looked at")
    let rest = try ledger.run(["verify", "--since", "1"] + signed)
    #expect(rest.status == 0)
    #expect(rest.lines.contains("the ledger extends everything that was signed"))
    #expect(rest.output.contains("up to position 1, the root is that of the tree: "))
    let json = try ledger.run("verify", "--since", "1", "--format", "json")
    #expect(json.output.contains(#""since":1"#) && !json.output.contains("differences"))
    let beyond = try ledger.run("verify", "--since", "99")
    #expect(beyond.status != 0 && beyond.errors.contains("nothing follows 99"))
  }

  @Test("says what the log says where the key file is damaged, and does not give that up")
  func damagedKeyFile() throws {
    let file = URL(filePath: "\(ledger.path)/keys")
    var keys = try Data(contentsOf: file)
    keys[40] ^= 1
    try keys.write(to: file)
    for options in [[], ["--without-keys"]] {
      let found = try ledger.run(["verify"] + options + signed)
      #expect(found.status == 1)
      #expect(found.lines.contains("the ledger extends everything that was signed"))
      #expect(found.output.contains("the log is intact"))
      #expect(found.output.contains("the log was checked without its keys"))
    }
  }

  @Test("writes nothing, and asks for nothing but the log") func writesNothing() throws {
    let before = try contents()
    #expect(try ledger.run(["verify"] + signed).status == 0)
    #expect(try contents() == before)
    for path in before.keys where path.hasPrefix("projections/") {
      try Data("no projections at all".utf8).write(to: URL(filePath: "\(ledger.path)/\(path)"))
    }
    let damaged = try ledger.run(["verify"] + signed)
    #expect(damaged.status == 1)
    #expect(damaged.lines.contains("the ledger extends everything that was signed"))
    let advice = "the log is intact; the projections are not: run `daybook rebuild`"
    #expect(damaged.lines.last == advice)
    try FileManager.default.removeItem(atPath: "\(ledger.path)/projections")
    let missing = try ledger.run(["verify"] + signed)
    #expect(missing.status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(ledger.path)/projections"))
  }

  @Test("advises a rebuild that helps") func rebuild() throws {
    for path in try contents().keys where path.hasPrefix("projections/") {
      try Data("no projections at all".utf8).write(to: URL(filePath: "\(ledger.path)/\(path)"))
    }
    #expect(try ledger.run("rebuild").status == 0)
    #expect(try ledger.run("verify").status == 0)
  }

  /// Every file of the ledger but the lock files, by its path.
  private func contents() throws -> [String: Data] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: ledger.path)
    var found: [String: Data] = [:]
    for file in files where !file.hasSuffix("lock.mdb") && !file.hasSuffix(".lock") {
      var isFolder: ObjCBool = false
      let path = "\(ledger.path)/\(file)"
      let isThere = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      guard isThere, !isFolder.boolValue else { continue }
      found[file] = try Data(contentsOf: URL(filePath: path))
    }
    return found
  }
}
