import Foundation
import Testing

@Suite("catalog") struct CatalogTests {
  private let ledger: TestLedger
  private let set = [
    "catalog", "set", "Tools/samples/catalogue.json", "--effective", "2026-02-01T00:00:00Z",
  ]

  init() throws {
    ledger = try TestLedger()
    #expect(try ledger.run("append", "Tools/samples/shop.jsonl").status == 0)
  }

  /// Returns the path of a new file with a document.
  private func document(_ text: String) throws -> String {
    let path = ledger.folder.path("document-\(UUID().uuidString).json")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("the same document again appends nothing") func again() throws {
    let first = try ledger.run(set + ["--format", "json"]).object()
    #expect(first["position"] as? Int == 16)
    let again = try ledger.run(set + ["--format", "json"]).object()
    #expect(again["position"] is NSNull)
    #expect(again["id"] is NSNull)
    #expect(try ledger.events().count == 16)
  }

  @Test("without a time of its own it appends nothing the second time, either") func untimed()
    throws
  {
    let file = try document(#"{"products":[{"product":"a","kind":"consumable"}]}"#)
    #expect(try ledger.run("catalog", "set", file).status == 0)
    #expect(try ledger.run("catalog", "set", file).output.contains("nothing to append"))
    #expect(try ledger.events().count == 16)
  }

  @Test("a dry run says for whom and appends nothing") func dryRun() throws {
    let answer = try ledger.run(set + ["--dry-run", "--format", "json"]).object()
    let customers = try #require(answer["customers"] as? [String: Int])
    #expect(customers == ["compared": 2, "changed": 1])
    #expect((answer["changes"] as? [[String: Any]])?.first?["account"] as? String == "mate")
    #expect(try ledger.events().count == 15)
  }

  @Test("a grant is not taken from a paid consumable without --yes") func refusal() throws {
    #expect(try ledger.run(set).status == 0)
    let less = try document(
      """
      {"app": "example.tides", "effective": "2026-02-02T00:00:00Z", "products": [
        {"product": "example.tides.forecasts", "kind": "consumable", "grants": {"forecasts": 1}}]}
      """)
    let refused = try ledger.run("catalog", "set", less)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("example.tides.forecasts (grants of forecasts)"))
    #expect(refused.errors.contains("--yes"))
    #expect(refused.output.contains("balance forecasts  10   2"))
    #expect(try ledger.events().count == 16)
    let dry = try ledger.run("catalog", "set", less, "--dry-run", "--format", "json")
    #expect(dry.status == 0)
    #expect(try dry.object()["refused"] as? Bool == true)
    #expect(try ledger.run("catalog", "set", less, "--yes").status == 0)
    let answer = try ledger.run("entitlements", "mate", "--format", "json").object()
    #expect(answer["balances"] as? [String: Int] == ["forecasts": 2])
  }

  @Test(
    "what a customer has is not taken away without --yes",
    arguments: [
      #"{"product":"m","kind":"consumable"}"#, #"{"product":"m","kind":"nonConsumable"}"#,
    ])
  func customerLoses(_ product: String) throws {
    let bought = try TestLedger()
    let before = try document(
      #"{"products":[{"product":"m","kind":"nonConsumable","entitlements":["pro"]}]}"#)
    let set = try bought.run("catalog", "set", before, "--effective", "2026-01-01")
    #expect(set.status == 0, "\(set.errors)")
    let purchase = try bought.run(
      "append",
      input: #"{"id":"e","type":"transaction.purchased","occurredAt":"2026-01-01T12:00:00Z","#
        + #""account":"al","product":"m","transaction":"t","source":"storekit1"}"#)
    #expect(purchase.status == 0, "\(purchase.errors)")
    let after = try document(#"{"products":["# + product + "]}")
    let change = ["catalog", "set", after, "--effective", "2026-01-02"]
    let refused = try bought.run(change)
    #expect(refused.status == 65, "\(refused.output)")
    #expect(refused.output.contains("loses  pro"))
    #expect(refused.errors.contains("because 1 customer loses what they have now. Run it again"))
    #expect(try bought.events().count == 2)
    #expect(try bought.run(change + ["--yes"]).status == 0)
    #expect(try bought.events().count == 3)
    // Giving it back takes nothing away.
    #expect(try bought.run("catalog", "set", before, "--effective", "2026-01-03").status == 0)
  }

  @Test("hosting is not taken from a product that was bought without --yes") func hosting() throws {
    #expect(try ledger.run(set).status == 0)
    let own = try document(
      """
      {"app": "example.tides", "effective": "2026-02-02T00:00:00Z", "products": [
        {"product": "example.tides.atlas", "kind": "nonConsumable", "title": "Tide atlas",
         "entitlements": ["atlas"], "delivery": "ownServer"}]}
      """)
    let dry = try ledger.run("catalog", "set", own, "--dry-run", "--format", "json").object()
    #expect(dry["refused"] as? Bool == false)
    let bought = try document(
      #"{"id":"atlas","type":"transaction.purchased","occurredAt":"2026-01-05T00:00:00Z","#
        + #""account":"reader","product":"example.tides.atlas","transaction":"t-atlas"}"# + "\n")
    #expect(try ledger.run("append", bought).status == 0)
    let refused = try ledger.run("catalog", "set", own)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("example.tides.atlas (hosting"))
    let count = try ledger.events().count
    #expect(try ledger.run("catalog", "set", own, "--yes").status == 0)
    #expect(try ledger.events().count == count + 1)
  }

  @Test("what nobody has bought may change") func unsold() throws {
    #expect(try ledger.run(set).status == 0)
    let other = try document(
      #"{"products":[{"product":"example.tides.year","kind":"consumable","grants":{"c":1}}]}"#)
    #expect(try ledger.run("catalog", "set", other).status == 0)
    let less = try document(
      #"{"products":[{"product":"example.tides.year","kind":"consumable"}]}"#)
    #expect(try ledger.run("catalog", "set", less).status == 0)
  }

  @Test("a broken document is named with the path in it") func broken() throws {
    let file = try document(#"{"products":[{"product":"a","kind":"consumables"}]}"#)
    let answer = try ledger.run("catalog", "set", file)
    #expect(answer.status == 65)
    #expect(answer.errors.contains("\(file): products[0].kind: expected one of"))
    #expect(try ledger.run("catalog", "set", "no-such-file.json").status == 66)
  }

  @Test("a document and an option that differ are refused") func twoScopes() throws {
    #expect(try ledger.run(set + ["--app", "example.other"]).status == 65)
    #expect(try ledger.run(set + ["--app", "example.tides"]).status == 0)
    let ahead = try ledger.run(
      "catalog", "set", "Tools/samples/catalogue.json", "--effective", "2999-01-01T00:00:00Z")
    #expect(ahead.status == 65)
    #expect(ahead.errors.contains("24 hours"))
  }

  @Test("a .storekit file is a catalogue") func storekit() throws {
    let answer = try ledger.run(
      "catalog", "set", "Tools/samples/sample.storekit", "--format", "json")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect((try answer.object()["products"] as? [Any])?.isEmpty == false)
    #expect(try ledger.run("catalog", "set", "Tools/samples/sample.storekit").status == 0)
    #expect(try ledger.events().count == 16)
  }

  @Test("jsonl tells every product, every customer and the sum") func lines() throws {
    let lines = try ledger.run(set + ["--dry-run", "--format", "jsonl"]).lines
    #expect(lines.count == 5)
    #expect(lines[0].contains(#""change":"added""#))
    #expect(lines[3].contains(#""account":"mate""#))
    #expect(lines[4].contains(#""changed":1"#))
  }

  @Test("prices are read alike whatever the machine speaks") func machine() throws {
    let outputs = try ["C", "ja_JP.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8"].map { locale in
      try Program.run(
        ["catalog", "--format", "json"], ledger: ledger.path,
        environment: ["LANG": locale, "LC_ALL": locale]
      ).output
    }
    #expect(Set(outputs).count == 1)
    #expect(outputs[0].contains("29,99\u{A0}€"))
    #expect(outputs[0].contains("$19.99"))
  }

  @Test("options that do not go together are a usage error") func usage() throws {
    #expect(try ledger.run("catalog", "--history").status == 64)
    #expect(try ledger.run("catalog", "--invalid", "--payments").status == 64)
    #expect(try ledger.run("catalog", "--invalid", "--storefront", "JP").status == 64)
    #expect(try ledger.run("catalog", "--at", "someday").status == 64)
  }

  @Test("each question has its answer") func questions() throws {
    let japan = try ledger.run("catalog", "--storefront", "JP", "--format", "json").objects()
    #expect(japan.count == 2)
    let prices = try #require(japan.first?["prices"] as? [[String: Any]])
    #expect(prices.map { $0["text"] as? String } == ["¥3,800"])
    let history = try ledger.run(
      "catalog", "--history", "--product", "example.tides.atlas", "--storefront", "USA",
      "--format", "jsonl")
    #expect(history.lines.count == 2)
    let invalid = try ledger.run("catalog", "--invalid", "--format", "json").object()
    #expect((invalid["identifiers"] as? [Any])?.count == 4)
    let payments = try ledger.run("catalog", "--payments", "--format", "json").objects()
    #expect(payments.map { $0["device"] as? String } == ["tablet"])
  }
}
