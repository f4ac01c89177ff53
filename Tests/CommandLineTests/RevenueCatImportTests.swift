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
    // What keeper-9 has can be eve's by a TRANSFER that was not imported yet.
    #expect(!answer.errors.contains("daybook transfer"), "\(answer.errors)")
  }

  /// A webhook about a subscription, of which each month has a transaction.
  private func webhook(
    _ type: String, id: Int, month: Int, user: String, _ more: String = ""
  ) -> String {
    let start = 1_704_067_200_000 + (month - 1) * 2_678_400_000
    return """
      {"api_version":"1.0","event":{"type":"\(type)","id":"w\(id)","event_timestamp_ms":\(start),
       "app_user_id":"\(user)","product_id":"plus","purchased_at_ms":\(start),
       "expiration_at_ms":\(start + 2_678_400_000),"environment":"PRODUCTION",
       "transaction_id":"t\(month)","original_transaction_id":"t1","store":"APP_STORE"\(more)}}
      """.replacing("\n", with: "")
  }

  private var transfer: String {
    """
    {"event":{"type":"TRANSFER","id":"w2","event_timestamp_ms":1705000000000,"store":"APP_STORE",
     "environment":"PRODUCTION","transferred_from":["ada"],"transferred_to":["eve"]}}
    """.replacing("\n", with: "")
  }

  private func holders() throws -> [Bool] {
    try ["ada", "eve"].map { account in
      let answer = try ledger.run(
        "entitlements", account, "--at", "2024-02-10", "--format", "json")
      return try answer.object()["active"] as? [String] == ["plus"]
    }
  }

  @Test("months of webhooks with a transfer can be imported newest first") func newestFirst() throws
  {
    let january = webhook("INITIAL_PURCHASE", id: 1, month: 1, user: "ada") + "\n" + transfer
    let february = webhook("RENEWAL", id: 3, month: 2, user: "eve")
    for (name, text) in [("february", february), ("january", january)] {
      let file = try ledger.folder.write(name, Array(text.utf8))
      let answer = try ledger.run("import", "revenuecat", file)
      #expect(answer.status == 0, "\(answer.errors)")
    }
    #expect(try holders() == [false, true])
    let before = try ledger.run("entitlements", "ada", "--at", "2024-01-05", "--format", "json")
    #expect(try before.object()["active"] as? [String] == ["plus"], "\(before.output)")
  }

  @Test("an export that names the receiver of a transfer can come before the webhooks")
  func exportFirst() throws {
    let table = """
      rc_original_app_user_id,rc_last_seen_app_user_id_alias,product_identifier,start_time,end_time,\
      store,is_sandbox,store_transaction_id,original_store_transaction_id
      eve,eve,plus,2024-01-01 00:00:00,2024-02-01 00:00:00,app_store,false,t1,t1
      eve,eve,plus,2024-02-01 00:00:00,2024-03-03 00:00:00,app_store,false,t2,t1

      """
    let export = try ledger.folder.write("export.csv", Array(table.utf8))
    #expect(try ledger.run("import", "revenuecat-export", export).status == 0)
    let bought = webhook("INITIAL_PURCHASE", id: 1, month: 1, user: "ada")
    // Without the transfer, nobody knows whose it is.
    let alone = try ledger.folder.write("alone", Array(bought.utf8))
    let refused = try ledger.run("import", "revenuecat", alone)
    #expect(refused.status == 65 && refused.errors.contains("belongs to eve"))
    let file = try ledger.folder.write("webhooks", Array((bought + "\n" + transfer).utf8))
    let answer = try ledger.run("import", "revenuecat", file)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try holders() == [false, true])
    // The transfer is in the ledger now. What ada buys after it is hers.
    #expect(try ledger.run("import", "revenuecat", alone).status == 0)
    let later = webhook("RENEWAL", id: 9, month: 2, user: "ada")
    let again = try ledger.folder.write("later", Array(later.utf8))
    #expect(try ledger.run("import", "revenuecat", again).status == 65)
  }
}
