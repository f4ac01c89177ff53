import Foundation
import Testing

/// `import revenuecat` and `import revenuecat-export`, from the command line.
@Suite("import from RevenueCat") struct RevenueCatImportTests {
  private let ledger: TestLedger
  private static let webhooks = ["import", "revenuecat", "Tools/samples/sample-revenuecat.jsonl"]
  private static let export = [
    "import", "revenuecat-export", "Tools/samples/sample-revenuecat.csv",
  ]

  init() throws { ledger = try TestLedger() }

  private func appended(_ arguments: [String]) throws -> Int? {
    let answer = try ledger.run(
      arguments + ["--app", "com.example.tides", "--format", "json"])
    #expect(answer.status == 0, "\(answer.errors)")
    return try answer.object()["appended"] as? Int
  }

  @Test(
    "webhooks and an export are imported once, in either order",
    arguments: [[Self.webhooks, Self.export], [Self.export, Self.webhooks]])
  func webhooksAn(imports: [[String]]) throws {
    for arguments in imports { #expect(try #require(try appended(arguments)) > 2) }
    for arguments in imports { #expect(try appended(arguments) == 0) }
    for account in ["keeper-9", "$RCAnonymousID:00000000000000000000000000000009"] {
      let answer = try ledger.run(
        "entitlements", account, "--at", "2024-06-15", "--format", "json")
      #expect(try answer.object()["active"] as? [String] == ["com.example.tides.plus"])
      let later = try ledger.run(
        "entitlements", account, "--at", "2024-07-02", "--format", "json")
      #expect(try later.object()["active"] as? [String] == [], "\(later.output)")
    }
    let bought = try ledger.events().filter { $0.contains(#""type":"transaction.purchased""#) }
    #expect(bought.count == 2 && bought.allSatisfy { $0.contains(#""currency":"EUR""#) })
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("what was left out and that nothing is verified is said") func wasLeft() throws {
    let answer = try ledger.run(Self.webhooks + ["--dry-run"])
    #expect(answer.status == 0 && answer.errors.contains("verified: false"))
    #expect(answer.errors.contains("1 webhook of PLAY_STORE left out"), "\(answer.errors)")
    #expect(answer.output.contains("account.linked"))
    #expect(try ledger.events().isEmpty)
  }

  @Test(
    "options that do not go with it are wrong usage",
    arguments: [
      Self.webhooks + ["--unverified"], Self.webhooks + ["--asked-at", "2024-01-01"],
      Self.export + ["--app-apple-id", "1"], Self.export + ["--effective", "2024-01-01"],
    ])
  func optionsDo(arguments: [String]) throws {
    #expect(try ledger.run(arguments).status == 64)
  }

  @Test("another owner of a purchase is refused and named") func anotherOwner() throws {
    #expect(try appended(Self.webhooks) != nil)
    let text = try String(contentsOfFile: "Tools/samples/sample-revenuecat.csv", encoding: .utf8)
    let file = try ledger.folder.write(
      "other.csv",
      Array(
        text.replacing("keeper-9", with: "eve").replacing(
          "$RCAnonymousID:00000000000000000000000000000009", with: "eve"
        ).utf8))
    let answer = try ledger.run("import", "revenuecat-export", file)
    #expect(answer.status == 65 && answer.errors.contains("belongs to keeper-9"))
  }
}
