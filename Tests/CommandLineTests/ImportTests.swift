import Foundation
import LedgerHistories
import Testing

@Suite("import") struct ImportTests {
  private let ledger: TestLedger
  private let receipt = ["import", "verify-receipt", "Tools/samples/sample-receipt.json"]
  private let catalogue = [
    "import", "storekit-config", "Tools/samples/sample.storekit", "--app", "com.example.tides",
  ]

  init() throws { ledger = try TestLedger() }

  @Test("the same receipt again appends nothing") func receiptAgain() throws {
    let first = try ledger.run(receipt + ["--account", "ada", "--format", "json"]).object()
    #expect(first["appended"] as? Int ?? 0 > 5)
    let again = try ledger.run(receipt + ["--account", "ada", "--format", "json"]).object()
    #expect(again["appended"] as? Int == 0)
    #expect(again["duplicates"] as? Int ?? 0 > 5)
  }

  @Test("the same catalogue again appends nothing, without a stated time too") func catalogueAgain()
    throws
  {
    #expect(try ledger.run(catalogue + ["--format", "json"]).object()["appended"] as? Int == 2)
    #expect(try ledger.run(catalogue + ["--format", "json"]).object()["appended"] as? Int == 0)
    #expect(try ledger.run("rebuild").status == 0)
    #expect(try ledger.run(catalogue + ["--format", "json"]).object()["appended"] as? Int == 0)
    let stated = catalogue + ["--effective", "2026-01-01T00:00:00Z", "--format", "json"]
    #expect(try ledger.run(stated).object()["appended"] as? Int == 2)
    #expect(try ledger.run(stated).object()["appended"] as? Int == 0)
  }

  @Test("a dry run prints the events and appends nothing") func dryRun() throws {
    let printed = try ledger.run(receipt + ["--dry-run"])
    #expect(printed.status == 0)
    #expect(printed.lines.first?.contains(#""type":"import.received""#) == true)
    #expect(try ledger.events().isEmpty)
    let appended = try ledger.run("append", input: printed.output)
    #expect(appended.status == 0)
    #expect(try ledger.run(receipt + ["--format", "json"]).object()["appended"] as? Int == 0)
  }

  @Test("a dry run over several files sees the earlier ones") func dryRunOfSeveral() throws {
    let sample = "Tools/samples/sample-receipt.json"
    let one = try ledger.run(receipt + ["--dry-run"]).lines
    #expect(try ledger.run(receipt + [sample, "--dry-run"]).lines == one)
    // A later answer that says the same: its state is left out, since it is known by then.
    let root = try #require(packageRoot())
    let text = try String(contentsOf: root.appending(path: sample), encoding: .utf8)
    let later = text.replacing(/("request_date_ms" ?: ?")(\d+)"/) {
      "\($0.1)\((Int($0.2) ?? 0) + 60_000)\""
    }
    try #require(later != text)
    let file = ledger.folder.path("later.json")
    try Data(later.utf8).write(to: URL(fileURLWithPath: file))
    let said = try ledger.run(receipt + [file, "--dry-run"])
    #expect(said.status == 0, "\(said.errors)")
    #expect(try ledger.events().isEmpty)
    #expect(try ledger.run(receipt + [file]).status == 0)
    let done = try ledger.events()
    #expect(said.lines.count == done.count)
    #expect(try ids(said.lines) == ids(done))
    // Behind what the ledger has, there is nothing left.
    #expect(try ledger.run(receipt + [file, "--dry-run"]).lines.isEmpty)
  }

  private func ids(_ lines: [String]) throws -> [String] {
    try lines.map { line in
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(event?["id"] as? String)
    }
  }

  @Test("a dry run of several configurations is refused") func dryRunOfConfigurations() throws {
    let answer = try ledger.run(catalogue + ["Tools/samples/sample.storekit", "--dry-run"])
    #expect(answer.status == 64)
    #expect(answer.errors.contains("one StoreKit configuration at a time"))
  }

  @Test("a status of the store is explained") func status() throws {
    let file = ledger.folder.path("answer.json")
    try Data(#"{"status":21007}"#.utf8).write(to: URL(fileURLWithPath: file))
    let answer = try ledger.run("import", "verify-receipt", file)
    #expect(answer.status == 65)
    #expect(answer.errors.contains("21007"))
    #expect(try ledger.events().isEmpty)
  }

  @Test("a file of another format is refused") func otherFormat() throws {
    #expect(
      try ledger.run("import", "verify-receipt", "Tools/samples/sample.storekit").status == 65)
    #expect(try ledger.run("import", "storekit-config", "README.md").status == 65)
  }

  @Test("a dry run needs no ledger") func dryRunWithoutLedger() throws {
    let nowhere = ledger.folder.path("nowhere")
    for command in [receipt, catalogue] {
      let printed = try Program.run(command + ["--dry-run"], ledger: nowhere)
      #expect(printed.status == 0, "\(printed.errors)")
      #expect(printed.lines.first?.contains(#""type":"import.received""#) == true)
    }
    #expect(!FileManager.default.fileExists(atPath: nowhere))
  }

  @Test("options of the other format are a usage error") func otherOptions() throws {
    for option in [["--account", "ada"], ["--claim"], ["--asked-at", "2026-01-01T00:00:00Z"]] {
      #expect(try ledger.run(catalogue + option).status == 64)
    }
    #expect(try ledger.run(receipt + ["--yes"]).status == 64)
    #expect(try ledger.run(receipt + ["--account-over-token"]).status == 64)
  }
}

@Suite("import of a configuration over a catalogue") struct ConfigurationImportTests {
  private let ledger: TestLedger
  private let configuration = [
    "import", "storekit-config", "Tools/samples/sample.storekit", "--app", "com.example.tides",
  ]

  init() throws {
    ledger = try TestLedger()
    let file = ledger.folder.path("catalogue.json")
    try Data(
      """
      {"app": "com.example.tides", "effective": "2025-12-01T00:00:00Z", "products": [
        {"product": "com.example.tides.northsea", "kind": "nonConsumable",
         "entitlements": ["premium"], "delivery": "store"},
        {"product": "com.example.tides.questions10", "kind": "consumable",
         "grants": {"questions": 10}},
        {"product": "com.example.tides.season2026", "kind": "nonRenewing", "duration": "P1Y"}]}
      """.utf8
    ).write(to: URL(fileURLWithPath: file))
    try #require(try ledger.run("catalog", "set", file).status == 0)
    let receipt = try ledger.run(
      "import", "verify-receipt", "Tools/samples/sample-receipt.json", "--account", "ada")
    try #require(receipt.status == 0, "\(receipt.errors)")
  }

  private func answer() throws -> [String: Any] {
    try ledger.run("entitlements", "ada", "--format", "json").object()
  }

  @Test("takes away no entitlement, no grant and no duration") func merged() throws {
    let before = try answer()
    #expect((before["active"] as? [String])?.contains("premium") == true)
    #expect(before["balances"] as? [String: Int] == ["questions": 20])
    let imported = try ledger.run(configuration + ["--effective", "2025-12-15T00:00:00Z"])
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("nothing changes for 1 customer with these products"))
    let after = try answer()
    for member in ["active", "balances", "nextChangeAt"] {
      #expect("\(after[member] ?? "")" == "\(before[member] ?? "")")
    }
    let listed = try ledger.run("catalog", "--format", "json").objects()
    let season = listed.first { $0["product"] as? String == "com.example.tides.season2026" }
    #expect(season?["duration"] as? String == "P1Y")
    #expect(season?["title"] as? String == "Season 2026")
    let charts = listed.first { $0["product"] as? String == "com.example.tides.northsea" }
    #expect(charts?["delivery"] as? String == "store")
  }

  @Test("says for whom something changes, and wants --yes where nobody can be asked")
  func asked() throws {
    let file = ledger.folder.path("changed.storekit")
    try Data(
      #"""
      {"products":[{"productID":"com.example.tides.northsea","type":"Consumable"}]}
      """#.utf8
    ).write(to: URL(fileURLWithPath: file))
    let change = [
      "import", "storekit-config", file, "--app", "com.example.tides", "--effective",
      "2025-12-15T00:00:00Z",
    ]
    let count = try ledger.events().count
    let refused = try ledger.run(change)
    #expect(refused.status == 65)
    #expect(refused.output.contains("loses"))
    #expect(refused.output.contains("ada"))
    #expect(refused.errors.contains("--yes"))
    #expect(refused.errors.contains("--dry-run"))
    let json = try ledger.run(change + ["--format", "json"])
    #expect(json.status == 65)
    #expect(json.output.isEmpty)
    #expect(json.errors.contains("loses"))
    let dry = try ledger.run(change + ["--dry-run"])
    #expect(dry.status == 0)
    #expect(dry.lines.count == 2)
    #expect(dry.errors.contains("loses"))
    #expect(try ledger.events().count == count)
    #expect((try answer()["active"] as? [String])?.contains("premium") == true)
    #expect(try ledger.run(change + ["--yes"]).status == 0)
    #expect((try answer()["active"] as? [String])?.contains("premium") == false)
    #expect(try ledger.events().count == count + 2)
  }

  @Test("of no product appends nothing") func empty() throws {
    let file = ledger.folder.path("empty.storekit")
    try Data(#"{"products":[],"subscriptionGroups":[]}"#.utf8)
      .write(to: URL(fileURLWithPath: file))
    let answer = try ledger.run("import", "storekit-config", file, "--format", "json")
    #expect(try answer.object()["appended"] as? Int == 0)
    #expect(answer.errors.contains("names no product"))
  }
}
