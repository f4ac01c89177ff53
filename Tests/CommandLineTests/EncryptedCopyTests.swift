import Foundation
import Testing

@Suite("backup and restore with encryption") struct EncryptedCopyTests {
  private let ledger: TestLedger

  private static let secret =
    "AGE-SECRET-KEY-13Y3A6NTUZ0MFV2RXAGEAM7AG968KHQ7FAKAFTZ4KPAVSZZY4YSPQPLLTRC"
  private static let otherSecret =
    "AGE-SECRET-KEY-15TA9QRG0UPC5TUFZJJ6VG0XDRCUDC573YQC8E4E0T7U47CSWMVQQFFX9NH"
  private static let other = "age1cjmydpdj9ctrzycjgs93zhdmahqx2w95mprklf6v4ujjadpcp4mqurqgh3"

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 10),
    ])
  }

  private func restored(_ arguments: String...) throws -> Outcome { try restored(arguments) }

  private func restored(_ arguments: [String]) throws -> Outcome {
    try ledger.run(arguments + ["--ledger", ledger.folder.path("restored")])
  }

  @Test("each recipient decrypts the log, an increment and the keys") func recipients() throws {
    let (full, more) = (ledger.folder.path("full"), ledger.folder.path("more"))
    let safe = ledger.folder.path("safe.keys")
    let to = ["--encrypt-to", Sample.ageRecipient, "--encrypt-to", Self.other, "--operator", "kim"]
    let made = try ledger.run(["backup", full, "--keys", safe, "--format", "json"] + to)
    try #require(made.status == 0, "\(made.errors)")
    let end = try #require(try made.object()["position"] as? Int)
    let appended = try ledger.run("append", input: Sample.purchase("t9", of: "zoe", at: 30))
    #expect(appended.status == 0)
    let next = try ledger.run(["backup", more, "--since", "\(end)", "--keys", safe] + to)
    try #require(next.status == 0, "\(next.errors)")
    let identity = try ledger.folder.write("id", "# a comment\n\(Self.otherSecret)\n")
    let outcome = try restored("restore", full, more, "--keys", safe, "--identity", identity)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try restored("events", "--account", "zoe").lines.count == 1)
    #expect(
      try restored("entitlements", "ada", "--format", "json").object()["active"] as? [String]
        == ["map"])
    #expect(try restored("verify").status == 0)
  }

  @Test("a passphrase in a file decrypts what it has encrypted") func passphrase() throws {
    let copy = ledger.folder.path("copy")
    let phrase = try ledger.folder.write("phrase", "correct horse\n")
    let made = try ledger.run("backup", copy, "--passphrase-file", phrase, "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    let wrong = try restored(
      "restore", copy, "--keys", ledger.path + "/keys", "--passphrase-file",
      try ledger.folder.write("wrong", "incorrect horse\n"))
    #expect(wrong.status == 66 && wrong.errors.contains("the passphrase is wrong"))
    let right = try restored(
      "restore", copy, "--keys", ledger.path + "/keys", "--passphrase-file", phrase)
    #expect(right.status == 0, "\(right.errors)")
  }

  @Test("parts with different secrets are restored by one command that names all of them")
  func mixedSecrets() throws {
    let (full, more) = (ledger.folder.path("full"), ledger.folder.path("more"))
    let (first, second) = (
      try ledger.folder.write("phrase", "correct horse\n"),
      try ledger.folder.write("other", "battery staple\n")
    )
    let made = try ledger.run(
      "backup", full, "--passphrase-file", first, "--operator", "kim", "--format", "json")
    try #require(made.status == 0, "\(made.errors)")
    let end = try #require(try made.object()["position"] as? Int)
    let safe = ledger.folder.path("safe.keys")
    let next = try ledger.run(
      "backup", more, "--since", "\(end)", "--keys", safe, "--encrypt-to", Sample.ageRecipient,
      "--operator", "kim")
    try #require(next.status == 0, "\(next.errors)")
    let words = ["restore", full, more, "--keys", safe, "--passphrase-file", second]
    let identities = [
      "--identity", try ledger.folder.write("id1", Self.otherSecret), "--identity",
      try ledger.folder.write("id2", Self.secret),
    ]
    let wrong = try restored(words + identities)
    #expect(wrong.status == 66 && wrong.errors.contains("full/log/full.age"), "\(wrong.errors)")
    let without = try restored(words + ["--passphrase-file", first])
    #expect(without.status == 66, "\(without.errors)")
    #expect(without.errors.contains("more/log/increment.age"), "\(without.errors)")
    let right = try restored(words + ["--passphrase-file", first] + identities)
    #expect(right.status == 0, "\(right.errors)")
    #expect(try restored("verify").status == 0)
  }

  @Test("a wrong or missing identity is named, and nothing is left") func wrongIdentity() throws {
    let copy = ledger.folder.path("copy")
    let made = try ledger.run(
      "backup", copy, "--encrypt-to", Sample.ageRecipient, "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    let keys = ledger.path + "/keys"
    let none = try restored("restore", copy, "--keys", keys)
    #expect(none.status == 66 && none.errors.contains("--identity"))
    let wrong = try restored(
      "restore", copy, "--keys", keys, "--identity",
      try ledger.folder.write("id2", Self.otherSecret))
    #expect(wrong.status == 66 && wrong.errors.contains("none of the identities"))
    let garbage = try restored(
      "restore", copy, "--keys", keys, "--identity", try ledger.folder.write("id3", "hello"))
    #expect(garbage.status == 65 && garbage.errors.contains("not an age identity"))
    let missing = try restored(
      "restore", copy, "--keys", keys, "--identity", ledger.folder.path("nowhere"))
    #expect(missing.status == 66)
    #expect(!FileManager.default.fileExists(atPath: ledger.folder.path("restored")))
    let left = try FileManager.default.contentsOfDirectory(atPath: ledger.folder.path(""))
    #expect(left.filter { $0.contains(".part") } == [])
  }

  @Test("recipients that are none, and both kinds at once, are a matter of usage")
  func usage() throws {
    let copy = ledger.folder.path("copy")
    for words in [
      ["--encrypt-to", "kim"], ["--encrypt-to", String(Sample.ageRecipient.dropLast()) + "q"],
      ["--encrypt-to", Sample.ageRecipient, "--passphrase-file", "x"],
    ] {
      #expect(try ledger.run(["backup", copy] + words).status == 64)
    }
    let empty = try ledger.run(
      "backup", copy, "--passphrase-file", try ledger.folder.write("empty", "\n"))
    #expect(empty.status == 65 && empty.errors.contains("the passphrase is empty"))
    #expect(!FileManager.default.fileExists(atPath: copy))
  }

  @Test("what a killed backup has left of the log and the keys is removed by the next one")
  func killed() throws {
    let folder = ledger.folder.path("")
    // A process that has ended, whose number nobody has.
    let ended = Process()
    ended.executableURL = URL(filePath: "/bin/true")
    try ended.run()
    ended.waitUntilExit()
    let suffix = ".\(ended.processIdentifier)-1234567890abcdef.part"
    try FileManager.default.createDirectory(
      atPath: folder + "/old" + suffix + "/log", withIntermediateDirectories: true)
    _ = try ledger.folder.write("old\(suffix)/log/full.age", "age-encryption.org/v1\n")
    _ = try ledger.folder.write("safe.keys\(suffix)", "age-encryption.org/v1\n")
    let made = try ledger.run(
      "backup", ledger.folder.path("copy"), "--keys", ledger.folder.path("safe.keys"),
      "--encrypt-to", Sample.ageRecipient, "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(left.filter { $0.contains(".part") } == [])
    #expect(left.contains("safe.keys") && left.contains("copy"))
  }
}
