import Foundation
import Testing

/// From a ledger to a bundle, and from the bundle to findings without the ledger.
@Suite("Bundles on the command line") struct BundleTests {
  private static let customer = "87e41ba5-a8ff-4e59-ad18-f729a2f6eb07"

  /// A ledger of two incidents, with a key and a bundle of one customer beside it.
  private struct Lab {
    let ledger: TestLedger
    let key: String
    let bundle: String

    init() throws {
      ledger = try TestLedger()
      key = ledger.folder.path("shop.key")
      bundle = ledger.folder.path("dolomites.bundle")
      let incidents = "Tools/samples/incidents"
      try expect(
        "append", "\(incidents)/alps-as-it-should-be.jsonl", "\(incidents)/copied-too-late.jsonl")
      try expect("key", "new", "--name", "books.example.com/shop", "--out", key)
    }

    @discardableResult
    func expect(_ arguments: String..., status: Int32 = 0) throws -> Outcome {
      let outcome = try ledger.run(arguments)
      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      return outcome
    }

    @discardableResult
    func export(_ more: String..., status: Int32 = 0) throws -> Outcome {
      let arguments = ["export", bundle, "--bundle", "--account", customer, "--key", key] + more
      let outcome = try ledger.run(arguments)
      #expect(outcome.status == status, "\(outcome.errors)")
      return outcome
    }

    /// Runs the program in a folder without a ledger.
    func elsewhere(_ arguments: String..., status: Int32 = 0) throws -> Outcome {
      let outcome = try Program.run(arguments, ledger: ledger.folder.path("nothing"))
      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      return outcome
    }
  }

  private func rules(_ outcome: Outcome, _ member: String) throws -> [String] {
    let findings = try #require(try outcome.object()[member] as? [[String: Any]])
    return try findings.map { finding in
      "\(try #require(finding["rule"])) \(try #require(finding["position"]))"
    }
  }

  @Test("what is to be shown has to be there: an unknown member is refused") func disclosed() throws
  {
    let lab = try Lab()
    let refused = try lab.export("--disclose", "nope", status: 64)
    #expect(refused.errors.contains("nope") && refused.errors.contains("error"))
    #expect(!FileManager.default.fileExists(atPath: lab.bundle))
    // Disclosing errors is allowed whether or not this customer had one.
    try lab.export("--disclose", "error", "--disclose", "contentURL")
  }

  @Test("a replay of it elsewhere finds what a replay of the ledger finds") func replay() throws {
    let lab = try Lab()
    let said = try lab.export()
    #expect(said.output.contains("21 events of account-13 (19 of the customer's own)"))
    let here = try lab.expect("replay", "--account", Self.customer, "--format", "json")
    let there = try lab.elsewhere("replay", lab.bundle, "--format", "json")
    for member in ["findings", "findingsAtTheEnd"] {
      #expect(try rules(here, member) == (try rules(there, member)))
    }
    #expect(try rules(there, "findings").count == 2)
    #expect(!there.output.contains(Self.customer))
    #expect(there.output.contains("account-13"))
    let edited = try lab.elsewhere("replay", lab.bundle, "--drop", "57", "--drop", "60")
    #expect(edited.output.contains("gone finished-before-install"))
  }

  @Test("check says what it proves, who signed, and what is somebody's word") func check() throws {
    let lab = try Lab()
    try lab.export()
    let checked = try lab.elsewhere("check", lab.bundle, "--key", lab.key)
    #expect(checked.output.contains("proven: these 21 events are in the ledger"))
    #expect(checked.output.contains("signed by books.example.com/shop"))
    #expect(checked.output.contains("not proven: 19 of these events are the history of account-13"))
    let reported = try lab.elsewhere("check", lab.bundle, "--key", lab.key, "--format", "json")
      .object()
    #expect(reported["kind"] as? String == "bundle")
    #expect(reported["events"] as? Int == 21)
    // The ledger still has the bundle's checkpoint as its beginning.
    try lab.expect("verify", "--checkpoint", lab.bundle, "--key", lab.key)
    let other = lab.ledger.folder.path("other.key")
    try lab.expect("key", "new", "--name", "books.example.com/shop", "--out", other)
    let refused = try lab.elsewhere("check", lab.bundle, "--key", other, status: 1)
    #expect(refused.output.contains("not proven"))
  }

  @Test("a changed one is refused by check and by replay, which say where")
  func changed() throws {
    let lab = try Lab()
    try lab.export()
    let whole = try String(contentsOfFile: lab.bundle, encoding: .utf8)
    let changed = lab.ledger.folder.path("changed.bundle")
    try Data(whole.replacing("\"progress\":0.41", with: "\"progress\":0.14").utf8)
      .write(to: URL(fileURLWithPath: changed))
    let checked = try lab.elsewhere("check", changed, "--key", lab.key, status: 1)
    #expect(checked.output.contains("which is position 54 of the ledger: the event was changed"))
    let replayed = try lab.elsewhere("replay", changed, status: 65)
    #expect(replayed.output.isEmpty)
    #expect(replayed.errors.contains("position 54 of the ledger"))
    try Data(whole.utf8.dropLast(300)).write(to: URL(fileURLWithPath: changed))
    #expect(try lab.elsewhere("check", changed, "--key", lab.key, status: 65).errors != "")
    try Data().write(to: URL(fileURLWithPath: changed))
    _ = try lab.elsewhere("check", changed, "--key", lab.key, status: 65)
  }

  @Test("that it was made is an event of the ledger, after the tree that it is of")
  func recorded() throws {
    let lab = try Lab()
    try lab.export("--operator", "kim", "--reason", "ticket 4711")
    let line = try #require(try lab.ledger.events().last)
    #expect(line.contains(#""action":"exported""#))
    #expect(line.contains(#""operator":"kim""#))
    #expect(line.contains("ticket 4711"))
    #expect(line.contains(#""format":"bundle""#))
  }

  @Test("is whole or not there, and nobody else's to read") func file() throws {
    let lab = try Lab()
    try lab.export()
    let mode = try FileManager.default.attributesOfItem(atPath: lab.bundle)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let before = try Data(contentsOf: URL(fileURLWithPath: lab.bundle))
    #expect(try lab.export(status: 73).errors.contains("--force"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: lab.bundle)) == before)
    try lab.export("--force")
    #expect(try Data(contentsOf: URL(fileURLWithPath: lab.bundle)) != before)
    let names = try FileManager.default.contentsOfDirectory(atPath: lab.ledger.folder.url.path)
    #expect(names.sorted() == ["dolomites.bundle", "ledger", "shop.key"])
  }

  @Test("says what is missing, and what does not go together") func usage() throws {
    let lab = try Lab()
    func refusal(_ status: Int32, _ arguments: String...) throws -> String {
      let outcome = try lab.ledger.run(["export", lab.bundle] + arguments)
      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      return outcome.errors
    }
    let account = ["--account", Self.customer]
    #expect(try refusal(64, "--bundle", "--key", lab.key).contains("--account"))
    #expect(try refusal(64, "--bundle", account[0], account[1]).contains("--key"))
    #expect(
      try refusal(64, "--bundle", account[0], account[1], "--key", lab.key, "--table", "events")
        .contains("--table"))
    #expect(try refusal(64, account[0], account[1], "--key", lab.key).contains("--bundle"))
    #expect(
      try refusal(65, "--bundle", "--account", "nobody", "--key", lab.key)
        .contains("no event of nobody"))
    #expect(
      try refusal(66, "--bundle", account[0], account[1], "--key", lab.key + "x")
        .contains("does not exist"))
    #expect(!FileManager.default.fileExists(atPath: lab.bundle))
  }
}
