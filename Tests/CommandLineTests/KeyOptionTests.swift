import Foundation
import Testing

/// Options that name keys: which of them counts, and that no file that they name is written over.
@Suite("Options that name keys") struct KeyOptionTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 10),
    ])
  }

  private func path(_ name: String) -> String { ledger.folder.path(name) }

  /// Makes a key that no ledger records, and returns the verifier key.
  private func key(_ name: String, in file: String, _ options: String...) throws -> String {
    let made = try Program.run(
      ["key", "new", "--name", name, "--out", path(file)] + options, in: ledger.folder.file(""))
    return try #require(made.lines.first, "\(made.errors)")
  }

  @Test(
    "two that say how to get at one key are refused",
    arguments: [
      ["checkpoint", "--key", "k", "--passphrase-file", "p", "--key-command", "true"],
      ["prove", "1", "--key", "k", "--passphrase-file", "p", "--key-command", "true"],
      [
        "key", "new", "--name", "a.example", "--out", "k", "--passphrase", "--passphrase-file", "p",
      ],
      ["backup", "copy", "--passphrase-file", "p", "--encrypt-to", Sample.ageRecipient],
      ["restore", "copy", "--keys", "k", "--without-keys"],
      ["restore", "copy", "--without-keys", "--give-up-missing"],
      ["restore", "copy"],
    ])
  func contradicting(words: [String]) throws {
    _ = try ledger.folder.write("p", "correct horse\n")
    let outcome = try Program.run(words, ledger: ledger.path, in: ledger.folder.file(""))
    #expect(outcome.status == 64, "\(words): \(outcome.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: path(""))
    #expect(!left.contains("k") && !left.contains("copy"), "\(left)")
  }

  @Test("a command that signs is used even if the key's file could sign")
  func commandBeforeFile() throws {
    _ = try key("books.example.com/test", in: "book.key")
    let sign = ["checkpoint", "--key", path("book.key"), "--operator", "kim"]
    #expect(try ledger.run(sign).status == 0)
    let refused = try ledger.run(sign + ["--key-command", "echo no card >&2; exit 9"])
    #expect(refused.status == 74 && refused.output == "")
    #expect(refused.errors.contains("exited with 9: no card"), "\(refused.errors)")
  }

  @Test("a key counts before a file of that name, and a file whose name is no key is read")
  func keyBeforeFile() throws {
    // A file's name has no slash, so keys are made until the text of one has none either.
    var trusted = ""
    var number = 0
    while trusted.isEmpty || trusted.contains("/") {
      number += 1
      trusted = try key("a.example", in: "\(number).key")
      try #require(number < 100)
    }
    let checkpoint = path("checkpoint")
    let signed = try ledger.run(
      "checkpoint", "--key", path("\(number).key"), "--out", checkpoint, "--operator", "kim")
    try #require(signed.status == 0, "\(signed.errors)")
    let stranger = try key("b.example", in: "stranger.key")
    _ = try ledger.folder.write(trusted, stranger + "\n")
    func check(_ key: String) throws -> Int32 {
      try Program.run(["check", checkpoint, "--key", key], in: ledger.folder.file("")).status
    }
    #expect(try check(trusted) == 0)
    #expect(try check("./" + trusted) == 1)
    #expect(try check(try ledger.folder.write("right+but+a-file", trusted + "\n")) == 0)
  }

  @Test("files of keys, ledgers and witnesses are never overwritten by --force")
  func kept() throws {
    let verifier = try key("books.example.com/test", in: "book.key")
    let witness = try key("w.example", in: "w.key", "--witness")
    let log = try ledger.folder.write("log.pub", verifier + "\n")
    let witnessFile = try ledger.folder.write("w.pub", witness + "\n")
    let checkpoint = path("checkpoint")
    let signed = try ledger.run(
      "checkpoint", "--key", path("book.key"), "--out", checkpoint, "--operator", "kim")
    try #require(signed.status == 0, "\(signed.errors)")
    let request = path("request")
    #expect(try ledger.run("witness", "request", checkpoint, "--out", request).status == 0)
    let cosign = [
      "witness", "cosign", request, "--key", path("w.key"), "--log", log, "--state", path("state"),
    ]
    let answered = try ledger.run(cosign + ["--new-state", "--out", path("answer")])
    try #require(answered.status == 0, "\(answered.errors)")
    let add = ["witness", "add", checkpoint, path("answer"), "--witness", witnessFile]
    let command = ["--key", log, "--key-command", "true", "--operator", "kim"]
    for (words, out) in [
      (cosign, log), (cosign, path("w.key")), (cosign, path("state")), (cosign, request),
      (add, witnessFile), (add, path("answer")),
      (["checkpoint"] + command, log), (["prove", "1"] + command, log),
      (["witness", "request", checkpoint], checkpoint),
    ] {
      let before = try Data(contentsOf: URL(filePath: out))
      let refused = try ledger.run(words + ["--out", out, "--force"])
      #expect(refused.status == 73, "\(words): \(refused.output)")
      #expect(refused.errors.contains("an input of this command"), "\(refused.errors)")
      #expect(try Data(contentsOf: URL(filePath: out)) == before, "\(words)")
    }
    // The checkpoint itself may get its new signatures.
    #expect(try ledger.run(add).status == 0)
  }
}
