import Foundation
import Testing

/// `import csv`, from the command line, and the example of its page.
@Suite("import of a table") struct TableImportCommandTests {
  private let ledger: TestLedger
  private static let table = "Tools/samples/sample-table.csv"
  private static let map = "Tools/samples/sample-table-map.json"
  private static let sample = ["import", "csv", table, "--map", map]

  init() throws { ledger = try TestLedger() }

  @Test("the sample is imported once, and its customers have what they bought")
  func once() throws {
    let answer = try ledger.run(Self.sample + ["--format", "json"])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try answer.object()["appended"] as? Int == 4)
    #expect(answer.errors.contains("1 row left out, as the map says"), "\(answer.errors)")
    let again = try ledger.run(Self.sample + ["--format", "json"])
    #expect(try again.object()["appended"] as? Int == 0, "\(again.errors)")
    for (time, active) in [("2024-03-01", ["com.example.tides.map"]), ("2024-08-01", [])] {
      let held = try ledger.run("entitlements", "keeper-3", "--at", time, "--format", "json")
      #expect(try held.object()["active"] as? [String] == active, "\(held.output)")
    }
    #expect(try ledger.events().contains { $0.contains(#""mapSHA256":""#) })
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("a row that is wrong keeps the whole table out, with its line and column")
  func refused() throws {
    let text = try String(contentsOfFile: Self.table, encoding: .utf8)
    let file = try ledger.folder.write(
      "orders.csv", Array(text.replacing("01.07.2024", with: "31.06.2024").utf8))
    let answer = try ledger.run("import", "csv", file, "--map", Self.map)
    #expect(answer.status == 65)
    #expect(
      answer.errors.contains(
        #"orders.csv: line 5, column "when": expected a date as dd.MM.yyyy HH:mm, "#
          + #"found "31.06.2024 12:00""#),
      "\(answer.errors)")
    #expect(try ledger.events().isEmpty)
    let missing = try ledger.folder.write("map.json", Array(#"{"event":{}}"#.utf8))
    let wrong = try ledger.run("import", "csv", file, "--map", missing)
    #expect(wrong.status == 65 && wrong.errors.contains("map.json: event.type"))
    #expect(try ledger.run("import", "csv", file, "--map", "nowhere").status == 66)
  }

  @Test("an id under which the ledger has something else keeps the whole table out")
  func conflict() throws {
    #expect(try ledger.run(Self.sample).status == 0)
    let before = try ledger.events().count
    let text = try String(contentsOfFile: Self.table, encoding: .utf8)
    let changed =
      text.replacing("1,99;2", with: "1,99;3")
      + "1005;02.07.2024 12:00;keeper-6;paid;Chart;1,99;1;70000000000005;\n"
    let file = try ledger.folder.write("orders.csv", Array(changed.utf8))
    let answer = try ledger.run("import", "csv", file, "--map", Self.map)
    #expect(answer.status == 65 && answer.errors.contains("id shop:1002"), "\(answer.errors)")
    #expect(try ledger.events().count == before)
  }

  @Test(
    "options that do not go with it are wrong usage",
    arguments: [
      ["import", "csv", table], ["import", "notification", "f", "--map", map],
      sample + ["--claim"], sample + ["--unverified"], sample + ["--asked-at", "2024-01-01"],
      sample + ["--account-over-token", "--account", "ada"],
    ])
  func usage(arguments: [String]) throws {
    #expect(try ledger.run(arguments).status == 64)
  }

  @Test("the example of the page is the sample, and the events are what a dry run prints")
  func page() throws {
    let answer = try ledger.run(Self.sample + ["--dry-run"])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try ledger.events().isEmpty)
    let printed = answer.output.split(separator: "\n").dropFirst().joined(separator: "\n")
    try Self.expect(try String(contentsOfFile: Self.table, encoding: .utf8), "table", as: "csv")
    try Self.expect(try String(contentsOfFile: Self.map, encoding: .utf8), "map", as: "json")
    try Self.expect(printed + "\n", "events", as: "json")
  }

  /// Compares a part of the page with a text, or writes it.
  private static func expect(_ text: String, _ name: String, as language: String) throws {
    let page = URL(filePath: "docs/importing-tables.md")
    let (before, after) = ("<!-- \(name) -->\n", "<!-- end of \(name) -->")
    let shown = "```\(language)\n\(text)```\n"
    let old = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(old.range(of: before))
    let stop = try #require(old.range(of: after))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let new = old.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: shown)
      try Data(new.utf8).write(to: page)
    }
    let now = try String(contentsOf: page, encoding: .utf8)
    #expect(now.contains(before + shown + after), "\(shown)")
  }
}
