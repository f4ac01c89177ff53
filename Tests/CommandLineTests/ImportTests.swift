import Foundation
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
    #expect(again["duplicates"] as? Int == first["appended"] as? Int)
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
}
