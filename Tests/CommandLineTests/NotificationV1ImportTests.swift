import Foundation
import Testing

/// `import notification-v1`, from the command line.
@Suite("import of notifications of version 1") struct NotificationV1ImportTests {
  private let ledger: TestLedger
  private let secret: String
  private static let sample = "Tools/samples/sample-notifications-v1.jsonl"

  init() throws {
    ledger = try TestLedger()
    secret = try ledger.folder.write("secret", Array("an invented secret\r\n".utf8))
  }

  private func imported(_ more: String...) throws -> [String] {
    ["import", "notification-v1", Self.sample, "--shared-secret-file", secret] + more
  }

  @Test("the sample is imported once, and its customer has what was bought") func sampleImported()
    throws
  {
    let first = try ledger.run(try imported("--account", "keeper-7", "--format", "json"))
    #expect(first.status == 0, "\(first.errors)")
    #expect(try #require(try first.object()["appended"] as? Int) > 4)
    let again = try ledger.run(try imported("--account", "keeper-7", "--format", "json"))
    #expect(try again.object()["appended"] as? Int == 0, "\(again.errors)")
    let events = try ledger.events()
    #expect(events.contains { $0.contains(#""verified":true"#) })
    #expect(!events.contains { $0.contains("an invented secret") || $0.contains("password") })
    let answer = try ledger.run(
      "entitlements", "keeper-7", "--at", "2021-02-20", "--format", "json")
    #expect(try answer.object()["active"] as? [String] == ["com.example.tides.plus"])
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("a secret is read without blanks around it and without a byte order mark")
  func secretWritten() throws {
    for (index, text) in ["\u{FEFF}an invented secret", "\t an invented secret \t\r\n"].enumerated()
    {
      let file = try ledger.folder.write("secret-\(index)", Array(text.utf8))
      let answer = try ledger.run(
        "import", "notification-v1", Self.sample, "--shared-secret-file", file, "--dry-run")
      #expect(answer.status == 0, "\(answer.errors)")
    }
  }

  @Test("a dry run prints the events and appends nothing") func dryRun() throws {
    let answer = try ledger.run(try imported("--dry-run"))
    #expect(answer.status == 0 && answer.output.contains("subscription.renewed"))
    #expect(answer.output.contains(#""format":"notification-v1""#))
    #expect(!answer.output.contains("secret"))
    #expect(try ledger.events().isEmpty)
  }

  @Test("a wrong secret, none and an empty one are refused with what to do") func wrongSecret()
    throws
  {
    let wrong = try ledger.folder.write("wrong", Array("guess".utf8))
    let empty = try ledger.folder.write("empty", Array("\n".utf8))
    let base = ["import", "notification-v1", Self.sample]
    for (more, said) in [
      (["--shared-secret-file", wrong], "it is not the shared secret"),
      (["--shared-secret-file", empty], "is empty"), ([], "--shared-secret-file"),
    ] {
      let answer = try ledger.run(base + more)
      #expect(answer.status == 65 && answer.errors.contains(said), "\(answer.errors)")
      #expect(!answer.errors.contains("an invented secret") && !answer.errors.contains("guess"))
    }
    let unverified = try ledger.run(base + ["--unverified"])
    #expect(unverified.status == 0 && unverified.errors.contains("no password was compared"))
    #expect(try ledger.events().contains { $0.contains(#""verified":false"#) })
  }

  @Test(
    "options that do not go with the format are wrong usage",
    arguments: [
      ["import", "notification-v1", "f", "--shared-secret-file", "s", "--unverified"],
      ["import", "notification", "f", "--shared-secret-file", "s"],
      ["import", "notification-v1", "f", "--pin", String(repeating: "0", count: 64)],
      ["import", "notification-v1", "f", "--yes"],
    ])
  func optionsDo(arguments: [String]) throws {
    #expect(try ledger.run(arguments).status == 64)
  }
}
