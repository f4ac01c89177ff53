import Foundation
import Testing

/// Imports of receipts into a ledger that already knows something.
@Suite("import of a receipt") struct ReceiptImportTests {
  private let ledger: TestLedger
  private let receipt = ["import", "verify-receipt", "Tools/samples/sample-receipt.json"]

  init() throws { ledger = try TestLedger() }

  private func active(_ account: String) throws -> [String] {
    let answer = try ledger.run("entitlements", account, "--format", "json").object()
    return answer["active"] as? [String] ?? []
  }

  private func operate(_ arguments: String...) throws {
    let outcome = try ledger.run(
      arguments + ["--operator", "kim", "--reason", "test", "--new-account"])
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  private func count() throws -> Int { try ledger.events().count }

  @Test("for a second account is refused with the owner's name") func secondAccount() throws {
    #expect(try ledger.run(receipt + ["--account", "ada"]).status == 0)
    let count = try count()
    let refused = try ledger.run(receipt + ["--account", "ben"])
    #expect(refused.status == 65)
    for words in ["belongs to ada, not to ben", "daybook link", "daybook transfer", "--claim"] {
      #expect(refused.errors.contains(words), "\(refused.errors)")
    }
    #expect(try self.count() == count)
    let claimed = try ledger.run(receipt + ["--account", "ben", "--claim"])
    #expect(claimed.status == 0, "\(claimed.errors)")
    #expect(try self.count() == count + 1)
    #expect(try ledger.run(receipt + ["--account", "ben", "--claim"]).status == 0)
    #expect(try self.count() == count + 1, "a claim is recorded once")
    #expect(try active("ada").contains("com.example.tides.northsea"))
    #expect(try active("ben").isEmpty)
    let notes = try ledger.run("events", "--account", "ben", "--type", "note.added")
    #expect(notes.output.contains("claims 7 transactions"))
  }

  @Test("gives a ledger the same ids again, and another ledger others, which nobody can guess")
  func ids() throws {
    let file = ["import", "verify-receipt", "Tools/samples/sample-receipt.json"]
    func received(_ ledger: TestLedger, _ arguments: [String]) throws -> Set<String> {
      let outcome = try ledger.run(arguments)
      try #require(outcome.status == 0, "\(outcome.errors)")
      return Set(
        try ledger.run("events", "--format", "jsonl").lines.compactMap { line in
          line.firstMatch(of: #/"id":"([^"]*)"/#).map { String($0.1) }
        })
    }
    let rehearsed = try ledger.run(receipt + ["--account", "ada"])
    try #require(rehearsed.status == 0, "\(rehearsed.errors)")
    let ids = try received(ledger, file)
    #expect(try received(ledger, file) == ids, "the file again appends nothing")
    #expect(
      try ledger.run(file + ["--dry-run"]).lines.allSatisfy { line in
        line.firstMatch(of: #/"id":"([^"]*)"/#).map { ids.contains(String($0.1)) } ?? false
      })
    let copy = ledger.folder.path("copy")
    #expect(try ledger.run("backup", copy, "--operator", "kim").status == 0)
    let restored = ledger.folder.path("restored")
    #expect(
      try ledger.run(["restore", copy, "--keys", ledger.path + "/keys", "--ledger", restored])
        .status == 0)
    let again = try ledger.run(file + ["--format", "json", "--ledger", restored])
    #expect(try again.object()["appended"] as? Int == 0, "\(again.output)")
    let other = try received(TestLedger(), file + ["--account", "ada"])
    let digested = ids.filter { $0.hasPrefix("import:") }
    #expect(digested.count == 1 && other.isDisjoint(with: digested))
  }

  @Test("of another customer's purchase is refused, whatever order the events came in")
  func ownerOfTheQueue() throws {
    let purchase = Sample.purchase("480000900000102", of: "ada", at: 30)
    #expect(try ledger.run("append", "-", input: purchase + "\n").status == 0)
    #expect(try ledger.run(receipt + ["--account", "ben"]).errors.contains("belongs to ada"))
    #expect(try ledger.run(receipt + ["--account", "ada"]).status == 0)
    #expect(try active("ada").contains("com.example.tides.northsea"))
  }

  @Test("counts links, transfers and erasures") func holders() throws {
    #expect(try ledger.run(receipt + ["--account", "ada"]).status == 0)
    try operate("link", "ada", "ada-2")
    let count = try count()
    #expect(try ledger.run(receipt + ["--account", "ada-2"]).status == 0)
    #expect(try self.count() == count, "a linked id is the same customer")
    try operate("transfer", "ada", "carl")
    let refused = try ledger.run(receipt + ["--account", "ben"])
    #expect(refused.status == 65)
    #expect(refused.errors.contains("belongs to carl"))
    let former = try ledger.run(receipt + ["--account", "ada"])
    #expect(former.status == 0)
    #expect(former.errors.contains("and now belong to carl"))
    #expect(
      try ledger.run("erase", "carl", "--yes", "--operator", "kim", "--reason", "test").status == 0)
    let before = try self.count()
    for account in ["ben", "carl", "ada"] {
      let forgotten = try ledger.run(receipt + ["--account", account])
      #expect(forgotten.status == 0, "\(forgotten.errors)")
      #expect(forgotten.errors.contains("customer who was erased"))
      #expect(try active(account).isEmpty)
    }
    #expect(try self.count() == before, "nothing about the erased customer is added")
  }

  @Test("a fact that the ledger has in other words is named, and no new id is advised")
  func contradiction() throws {
    let dry = try ledger.run(receipt + ["--dry-run"])
    let fact = try #require(
      dry.output.split(separator: "\n").first { $0.contains(#""type":"transaction.purchased""#) })
    let other = try ledger.folder.write(
      "other.jsonl",
      String(fact.replacing(#""product":"com."#, with: #""product":"org."#)))
    #expect(try ledger.run("append", other).status == 0)
    let refused = try ledger.run(receipt)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("that the ledger has in other words at position 1"))
    #expect(!refused.errors.contains("new id"), "\(refused.errors)")
    #expect(try self.count() == 1)
  }

  @Test("without an account says that nobody owns it") func nobodys() throws {
    let imported = try ledger.run(receipt)
    #expect(imported.status == 0)
    #expect(imported.errors.contains("7 of its purchases have no owner"))
    let hers = try ledger.run(receipt + ["--account", "ada", "--format", "json"])
    #expect(try hers.object()["appended"] as? Int == 5)
    #expect(hers.errors.isEmpty)
    #expect(try active("ada").contains("com.example.tides.northsea"))
    #expect(try ledger.run(receipt).errors.isEmpty)
  }

  @Test("keeps the token and the account that is named beside it") func token() throws {
    let path = try ledger.folder.write(
      "token.json",
      #"""
      {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
       "request_date_ms":"1700000900000","in_app":[{"transaction_id":"1","product_id":"map",
       "purchase_date_ms":"1700000000000","app_account_token":"token"}]}}
      """#)
    let command = ["import", "verify-receipt", path, "--account", "ada"]
    let imported = try ledger.run(command)
    #expect(imported.status == 0)
    #expect(imported.errors.contains("--account-over-token"))
    #expect(try active("token") == ["map"])
    #expect(try active("ada").isEmpty)
    #expect(try ledger.run("events", "--account", "ada").output.contains("claims transaction 1"))
    let other = try TestLedger()
    #expect(try other.run(command + ["--account-over-token"]).status == 0)
    let answer = try other.run("entitlements", "ada", "--format", "json").object()
    #expect(answer["active"] as? [String] == ["map"])
    #expect(try other.run("events", "--account", "token").output.contains("claims transaction 1"))
  }

  private func subscription(_ name: String, _ pending: String, minute: Int) throws -> String {
    try ledger.folder.write(
      name,
      """
      {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
       "request_date_ms":"\(1_700_000_000_000 + minute * 60_000)"},"latest_receipt_info":[
       {"transaction_id":"1","original_transaction_id":"1","product_id":"plus",
        "purchase_date_ms":"1700000000000","expires_date_ms":"1700000600000"}],
       "pending_renewal_info":[{"original_transaction_id":"1","product_id":"plus",
        "expiration_intent":"2"\(pending)}]}
      """)
  }

  @Test("that says lapsed ends a grace period, imported before it or after", arguments: [0, 1, 2])
  func lapsed(order: Int) throws {
    let grace = try subscription(
      "grace.json",
      #","is_in_billing_retry_period":"1","grace_period_expires_date_ms":"1999999999000""#,
      minute: 20)
    let end = try subscription("end.json", #","is_in_billing_retry_period":"0""#, minute: 40)
    let runs = [[[grace], [end]], [[end], [grace]], [[end, grace]]][order]
    for files in runs {
      let command = ["import", "verify-receipt", "--account", "ada"] + files
      #expect(try ledger.run(command).status == 0)
      let again = try ledger.run(command + ["--format", "json"])
      #expect(try again.object()["appended"] as? Int == 0)
    }
    let between = try ledger.run(
      "entitlements", "ada", "--at", "2023-11-14T22:40:00Z", "--format", "json"
    ).object()
    #expect(
      (between["entitlements"] as? [[String: Any]])?.map { $0["state"] as? String } == [
        "gracePeriod"
      ])
    let answer = try ledger.run("entitlements", "ada", "--format", "json").object()
    #expect(
      (answer["entitlements"] as? [[String: Any]])?.map { $0["state"] as? String } == ["expired"])
  }

  @Test("that does not say its environment or its time has to be told") func unsaid() throws {
    let path = try ledger.folder.write(
      "old.json",
      #"""
      {"status":0,"auto_renew_status":1,"receipt":{"bid":"app","transaction_id":"5",
       "product_id":"plus","expires_date":"1384424623000","purchase_date_ms":"1384424443000"}}
      """#)
    let command = ["import", "verify-receipt", path, "--account", "ada"]
    #expect(try ledger.run(command).errors.contains("--environment"))
    let undated = try ledger.run(command + ["--environment", "sandbox"])
    #expect(undated.status == 65)
    #expect(undated.errors.contains("--asked-at"))
    let reported = ["--environment", "sandbox", "--asked-at", "2013-11-14T10:22:00Z"]
    #expect(try ledger.run(command + reported).status == 0)
    #expect(try ledger.events().allSatisfy { $0.contains(#""environment":"sandbox""#) })
    let contradicted = try ledger.run(receipt + ["--environment", "sandbox"])
    #expect(contradicted.status == 65)
    #expect(contradicted.errors.contains("the receipt is from production, not from sandbox"))
  }
}
