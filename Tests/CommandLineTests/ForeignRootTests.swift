import Foundation
import Testing

/// Root beside a service: what root makes in the ledger of the service's user takes it from the
/// service, until somebody gives the files back.
@Suite(
  "Root and another user's ledger",
  .enabled(if: geteuid() == 0, "only the superuser gives files away"))
struct ForeignRootTests {
  /// No user of the tests' own; a number needs no user.
  private static let owner = 8470

  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada")])
    for words in [
      ["token", "create", "shop", "--scope", "read"], ["answer-key", "new"],
      ["webhook", "create", "shop", "--url", "https://example.com/", "--type", "*"],
    ] {
      let made = try ledger.run(words)
      try #require(made.status == 0, "\(made.errors)")
    }
    for path in try paths() {
      try FileManager.default.setAttributes(
        [.ownerAccountID: Self.owner, .groupOwnerAccountID: Self.owner], ofItemAtPath: path)
    }
    try #require(try foreign() == [])
  }

  private func paths() throws -> [String] {
    try [ledger.path]
      + FileManager.default.subpathsOfDirectory(atPath: ledger.path).sorted()
      .map { "\(ledger.path)/\($0)" }
  }

  /// What does not belong to the ledger's owner.
  private func foreign() throws -> [String] {
    try paths().filter { path in
      let owner = try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID]
      return (owner as? NSNumber)?.intValue != Self.owner
    }
  }

  @Test(
    "a command that changes the ledger or the service's files is refused, and changes nothing",
    arguments: [
      "append", "rebuild", "rebuild --check", "init",
      "note ada hello --operator kim",
      "grant ada --product com.example.a --reason gift --operator kim",
      "erase ada --operator kim --reason asked --yes", "catalog set Tools/samples/catalogue.json",
      "token create page --scope read", "token revoke shop", "answer-key new",
      "answer-key remove a", "webhook pause shop", "webhook rotate shop", "webhook remove shop",
      "webhook create page --url https://example.com/ --type *",
    ])
  func refused(command: String) throws {
    let before = try paths()
    let outcome = try ledger.run(command.split(separator: " ").map(String.init))
    #expect(outcome.status == 77, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("belongs to the user \(Self.owner)"), "\(outcome.errors)")
    #expect(try paths() == before)
    #expect(try foreign() == [])
  }

  @Test("an act that would be recorded in it is refused") func recorded() throws {
    let backup = ledger.folder.path("backup")
    let outcome = try ledger.run("backup", backup, "--operator", "kim")
    #expect(outcome.status == 77, "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: backup))
    #expect(try foreign() == [])
  }

  @Test(
    "a command that reads goes on, and leaves no file of root's",
    arguments: [
      "entitlements ada", "events", "stats", "verify", "token list", "answer-key list",
      "webhook list", "webhook deliveries shop", "note ada hello --operator kim --dry-run",
    ])
  func read(command: String) throws {
    // Whoever opens the ledger first after a copy makes the files of locks anew.
    for path in try paths() where path.hasSuffix("/lock.mdb") {
      try FileManager.default.removeItem(atPath: path)
    }
    let outcome = try ledger.run(command.split(separator: " ").map(String.init))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try foreign() == [])
  }
}
