import Foundation
import Testing

/// What `backup --keys` may overwrite, and what it leaves alone.
@Suite("The copy of the keys that a backup makes") struct KeyCopyTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada", at: 0)])
  }

  private func path(_ name: String) -> String { ledger.folder.path(name) }

  private func backUp(keys: String, _ more: String...) throws -> Outcome {
    try ledger.run(["backup", path("copy"), "--keys", keys, "--operator", "kim"] + more)
  }

  /// Nothing was copied, and the ledger does not record a backup.
  private func nothingHappened() throws -> Bool {
    try !FileManager.default.fileExists(atPath: path("copy"))
      && ledger.run("events", "--type", "operator.acted").lines.isEmpty
  }

  @Test(
    "never replaces a file of the ledger, whatever way leads there",
    arguments: ["ledger/keys", "ledger/log/data.mdb", "ledger/new", "link/keys", "shortcut"])
  func ledgerFolder(_ name: String) throws {
    let files = FileManager.default
    try files.createSymbolicLink(atPath: path("link"), withDestinationPath: ledger.path)
    try files.createSymbolicLink(
      atPath: path("shortcut"), withDestinationPath: ledger.path + "/keys")
    let before = try Data(contentsOf: ledger.folder.file("ledger/keys"))
    for more in [[], ["--encrypt-to", Sample.ageRecipient]] {
      let refused = try ledger.run(
        ["backup", path("copy"), "--keys", path(name), "--operator", "kim"] + more)
      #expect(refused.status == 73, "\(refused.output)")
      #expect(refused.errors.contains("in the folder of the ledger"), "\(refused.errors)")
    }
    #expect(try Data(contentsOf: ledger.folder.file("ledger/keys")) == before)
    #expect(try nothingHappened())
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("never replaces the passphrase that it is encrypted with") func passphrase() throws {
    try Data("correct horse\n".utf8).write(to: ledger.folder.file("phrase"))
    let refused = try backUp(keys: path("phrase"), "--passphrase-file", path("phrase"))
    #expect(refused.status == 73 && refused.errors.contains("an input of this command"))
    #expect(try Data(contentsOf: ledger.folder.file("phrase")) == Data("correct horse\n".utf8))
    #expect(try nothingHappened())
  }

  @Test("takes the place of files only") func noFile() throws {
    // A pipe stands for everything that is written to and is no file, such as a device.
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["mkfifo", path("pipe")]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    for path in [ledger.folder.url.path, path("pipe"), "-"] {
      let refused = try backUp(keys: path)
      #expect(refused.status == 73, "\(path): \(refused.errors)")
      #expect(refused.errors.contains(path), "\(refused.errors)")
    }
    #expect(try nothingHappened())
  }

  @Test("replaces the copy of the last backup, also after growth and an erasure")
  func replaced() throws {
    let safe = path("safe.keys")
    let first = try backUp(keys: safe)
    #expect(first.status == 0, "\(first.errors)")
    // More names than a block of 4,096 slots has keys for.
    let lines = (1...4_200).map { Sample.purchase("m\($0)", of: "customer-\($0)", at: 20) }
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
    let erased = try ledger.run(
      "erase", "ada", "--yes", "--operator", "kim", "--reason", "request 88")
    try #require(erased.status == 0, "\(erased.errors)")
    let grown = try ledger.run(
      "backup", path("second"), "--keys", safe, "--operator", "kim")
    #expect(grown.status == 0, "\(grown.errors)")
    #expect(try contents("safe.keys") == contents("ledger/keys"))
    // What a script has made for the copy holds nothing yet.
    try Data().write(to: ledger.folder.file("empty"))
    let made = try ledger.run(
      "backup", path("third"), "--keys", path("empty"), "--operator", "kim")
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test("never replaces what is no copy of the ledger's keys") func otherFiles() throws {
    let other = try TestLedger(events: [Sample.purchase("t1", of: "eve", at: 0)])
    let files = FileManager.default
    try files.copyItem(atPath: other.path + "/keys", toPath: path("other.keys"))
    try Data("A thesis.".utf8).write(to: ledger.folder.file("thesis.txt"))
    try Data(count: 131_200).write(to: ledger.folder.file("zeros"))
    var damaged = try contents("ledger/keys")
    damaged[40] ^= 1
    try damaged.write(to: ledger.folder.file("damaged.keys"))
    // A ledger that was restored from this one has the same keys.
    let made = try backUp(keys: path("safe.keys"))
    try #require(made.status == 0, "\(made.errors)")
    let clone = try ledger.run(
      "restore", path("copy"), "--keys", path("safe.keys"), "--ledger", path("clone"))
    try #require(clone.status == 0, "\(clone.errors)")
    // Or other keys, and the same name.
    let sealed = try ledger.run(
      "restore", path("copy"), "--without-keys", "--ledger", path("sealed"))
    try #require(sealed.status == 0, "\(sealed.errors)")
    let encrypted = try ledger.run(
      "backup", path("aged"), "--encrypt-to", Sample.ageRecipient, "--operator", "kim")
    try #require(encrypted.status == 0, "\(encrypted.errors)")
    for (name, words) in [
      ("other.keys", "holds the keys of another ledger"),
      ("thesis.txt", "is no copy of a key file"), ("zeros", "is no copy of a key file"),
      ("damaged.keys", "is a key file whose head is damaged"),
      ("clone/keys", "is the key file of the ledger in the folder"),
      ("sealed/keys", "holds the keys of this ledger from before it was restored"),
      ("aged/log/full.age", "is an encrypted backup of a log"),
    ] {
      let before = try contents(name)
      let refused = try ledger.run(
        "backup", path("next"), "--keys", path(name), "--operator", "kim")
      #expect(refused.status == 73, "\(name): \(refused.output)")
      #expect(refused.errors.contains("\(path(name)) \(words)"), "\(refused.errors)")
      #expect(refused.errors.contains("name another file"))
      #expect(try contents(name) == before, "\(name)")
    }
    #expect(!files.fileExists(atPath: path("next")))
    // The restored ledger without the old keys does not take their place, either.
    let before = try contents("safe.keys")
    let refused = try ledger.run(
      "backup", path("next"), "--keys", path("safe.keys"), "--operator", "kim", "--ledger",
      path("sealed"))
    #expect(refused.status == 73, "\(refused.output)")
    #expect(try contents("safe.keys") == before)
  }

  @Test("is kept if the key file is damaged", arguments: ["zeros", "short"], [false, true])
  func damagedKeys(_ damage: String, isEncrypted: Bool) throws {
    let more = isEncrypted ? ["--encrypt-to", Sample.ageRecipient] : []
    let safe = path("safe.keys")
    let first = try ledger.run(
      ["backup", path("first"), "--keys", safe, "--operator", "kim"] + more)
    try #require(first.status == 0, "\(first.errors)")
    let before = try contents("safe.keys")
    let keys = try contents("ledger/keys")
    // The head has 128 bytes, and each key 32.
    let damaged =
      damage == "zeros"
      ? keys.prefix(128) + Data(count: 96) + keys.dropFirst(224) : keys.prefix(160)
    try damaged.write(to: ledger.folder.file("ledger/keys"))
    let refused = try ledger.run(
      ["backup", path("copy"), "--keys", safe, "--operator", "kim"] + more)
    #expect(refused.status == 65, "\(refused.output)")
    #expect(refused.errors.contains("The copy of the keys at \(safe) is not replaced"))
    #expect(refused.errors.contains("back"), "\(refused.errors)")
    #expect(try contents("safe.keys") == before)
    #expect(!FileManager.default.fileExists(atPath: path("copy")))
    // Once the key file is back, the copy is replaced as before.
    try keys.write(to: ledger.folder.file("ledger/keys"))
    let next = try ledger.run(
      ["backup", path("next"), "--keys", safe, "--operator", "kim"] + more)
    #expect(next.status == 0, "\(next.errors)")
    // With the damaged one, the log can still be copied, and the keys to another file.
    try damaged.write(to: ledger.folder.file("ledger/keys"))
    let log = try ledger.run("backup", path("log"), "--keys", path("more.keys"))
    #expect(log.status == 0, "\(log.errors)")
    #expect(log.output.contains("are missing, and this log does not say that they were"))
  }

  private func contents(_ name: String) throws -> Data {
    try Data(contentsOf: ledger.folder.file(name))
  }
}
