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

  @Test("replaces the copy of the last backup") func replaced() throws {
    try Data("old".utf8).write(to: ledger.folder.file("safe.keys"))
    let made = try backUp(keys: path("safe.keys"))
    #expect(made.status == 0, "\(made.errors)")
    #expect(
      try Data(contentsOf: ledger.folder.file("safe.keys"))
        == Data(contentsOf: ledger.folder.file("ledger/keys")))
  }
}
