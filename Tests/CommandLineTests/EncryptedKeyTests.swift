import Foundation
import Testing

@Suite("A signing key behind a passphrase") struct EncryptedKeyTests {
  private let ledger: TestLedger
  private var key: String { ledger.folder.path("key") }

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada", at: 0)])
  }

  @Test("signs with its passphrase, and with no other") func signs() throws {
    let phrase = try ledger.folder.write("phrase", "correct horse\n")
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
    let wrong = try ledger.run(
      sign + ["--passphrase-file", try ledger.folder.write("wrong", "battery")])
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
  }

  /// Makes an encrypted key, and returns the file of its passphrase and the verifier key.
  private func makeKey(
    in out: String, _ more: String...
  ) throws -> (phrase: String, verifier: String) {
    let phrase = try ledger.folder.write("phrase", "correct horse\n")
    let words = ["key", "new", "--name", "example.com/shop", "--operator", "kim"]
    let made = try ledger.run(words + ["--out", out, "--passphrase-file", phrase] + more)
    return (phrase, try #require(made.lines.first, "\(made.errors)"))
  }

  @Test("is not asked for its passphrase where only its verifier key is needed")
  func trusted() throws {
    let phrase = try makeKey(in: key).phrase
    let checkpoint = ledger.folder.path("checkpoint")
    let signed = try ledger.run(
      "checkpoint", "--key", key, "--out", checkpoint, "--passphrase-file", phrase,
      "--operator", "kim")
    try #require(signed.status == 0, "\(signed.errors)")
    for words in [
      ["check", checkpoint, "--key", key],
      ["verify", "--checkpoint", checkpoint, "--key", key],
      ["checkpoint", "--key", key, "--key-command", "true"],
    ] {
      let refused = try ledger.run(words)
      #expect(refused.status == 65, "\(words): \(refused.errors)")
      #expect(refused.errors.contains("`daybook key show \(key)` prints"), "\(refused.errors)")
      #expect(!refused.errors.contains("--passphrase-file"))
    }
  }

  @Test("and the file of its passphrase are not lost to what is written, even with --force")
  func passphraseKept() throws {
    let (phrase, verifier) = try makeKey(in: key)
    let witness = ledger.folder.path("witness.key")
    _ = try makeKey(in: witness, "--witness")
    let state = ["--log", verifier, "--state", ledger.folder.path("state")]
    for words in [
      ["checkpoint", "--key", key, "--operator", "kim", "--out", phrase],
      ["prove", "1", "--key", key, "--operator", "kim", "--out", phrase],
      ["export", phrase, "--bundle", "--account", "ada", "--key", key, "--operator", "kim"],
      ["witness", "cosign", "-", "--key", witness, "--out", phrase] + state,
    ] {
      let refused = try ledger.run(words + ["--passphrase-file", phrase, "--force"])
      #expect(refused.status == 73, "\(words): \(refused.output)")
      #expect(refused.errors.contains("an input of this command"), "\(refused.errors)")
      #expect(try String(contentsOfFile: phrase, encoding: .utf8) == "correct horse\n")
    }
  }
}
