import Foundation
import Testing

@Suite("A signing key behind a passphrase") struct EncryptedKeyTests {
  private let ledger: TestLedger
  private var key: String { ledger.folder.path("key") }

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada", at: 0)])
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = ledger.folder.path(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test("signs with its passphrase, and with no other") func signs() throws {
    let phrase = try file("phrase", "correct horse\n")
    let made = try ledger.run(
      "key", "new", "--name", "example.com/shop", "--out", key, "--passphrase-file", phrase,
      "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    let verifier = try #require(made.lines.first)
    let contents = try Data(contentsOf: URL(filePath: key))
    #expect(contents.starts(with: Data("age-encryption.org/v1\n".utf8)))
    #expect(contents.range(of: Data("PRIVATE".utf8)) == nil)
    let checkpoint = ledger.folder.path("checkpoint")
    let sign = ["checkpoint", "--key", key, "--out", checkpoint, "--operator", "kim"]
    let alone = try ledger.run(sign)
    #expect(alone.status == 64 && alone.errors.contains("--passphrase-file"))
    let wrong = try ledger.run(sign + ["--passphrase-file", try file("wrong", "battery")])
    #expect(wrong.status == 65 && wrong.errors.contains("the passphrase is wrong"))
    #expect(!FileManager.default.fileExists(atPath: checkpoint))
    let signed = try ledger.run(sign + ["--passphrase-file", phrase])
    #expect(signed.status == 0, "\(signed.errors)")
    #expect(try ledger.run("check", checkpoint, "--key", verifier).status == 0)
    let shown = try ledger.run("key", "show", key, "--passphrase-file", phrase)
    #expect(shown.lines == [verifier])
    let proof = try ledger.run(
      "prove", "1", "--key", key, "--out", ledger.folder.path("proof"), "--operator", "kim",
      "--passphrase-file", phrase)
    #expect(proof.status == 0, "\(proof.errors)")
    // These commands need only the public half, and have no option for a passphrase.
    for command in [["check", checkpoint], ["verify", "--checkpoint", checkpoint]] {
      let asked = try ledger.run(command + ["--key", key])
      #expect(asked.status == 64)
      #expect(asked.errors.contains("daybook key show"), "\(asked.errors)")
      #expect(!asked.errors.contains("--passphrase-file"))
    }
  }
}
