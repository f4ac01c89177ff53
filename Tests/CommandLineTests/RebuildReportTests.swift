import Foundation
import Testing

/// The check before an upgrade, from outside. `ReducerReportTests` shows what it finds.
@Suite("rebuild --check --report") struct RebuildReportTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 5),
    ])
  }

  @Test("it says that nobody is answered otherwise, and changes nothing") func nothing() throws {
    let text = try ledger.run("rebuild", "--check", "--report")
    #expect(text.status == 0, "\(text.errors)")
    let line = try #require(
      text.output.wholeMatch(
        of: /no answer of 2 accounts differs: rules ([0-9]+) → ([0-9]+), up to position 2\n/))
    #expect(line.1 == line.2)
    let json = try ledger.run("rebuild", "--check", "--report", "--format", "json").object()
    #expect((json["customers"] as? [Any])?.isEmpty == true)
    #expect(json["accounts"] as? Int == 2)
    #expect(json["different"] as? Bool == false)
    let lines = try ledger.run("rebuild", "--check", "--report", "--format", "jsonl").lines
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix(#"{"summary":{"position":2"#) == true)
    #expect(try ledger.run("rebuild", "--check").status == 0)
  }

  @Test("into a file it goes whole, and the counts are reported") func file() throws {
    let file = ledger.folder.path("changes.json")
    let answer = try ledger.run("rebuild", "--check", "--report", "--format", "json", file)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.lines.first?.contains("no answer of 2 accounts differs") == true)
    let written = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
    #expect((written as? [String: Any])?["position"] as? Int == 2)
    let nowhere = try ledger.run("rebuild", "--check", "--report", "/nowhere/changes.json")
    #expect(nowhere.status == 73)
    #expect(nowhere.errors.contains("/nowhere/changes.json"))
  }

  @Test("a report as CSV is CSV in a file, too") func csvFile() throws {
    let file = ledger.folder.path("changes.csv")
    let answer = try ledger.run("rebuild", "--check", "--report", "--format", "csv", file)
    #expect(answer.status == 0, "\(answer.errors)")
    let written = try String(contentsOfFile: file, encoding: .utf8)
    let lines = written.split(separator: "\r\n").map(String.init)
    #expect(lines.first?.hasPrefix("summary.position,") == true, "\(written)")
    #expect(lines.count == 2, "\(written)")
    #expect(lines.last?.hasPrefix("2,") == true, "\(written)")
  }

  @Test("what does not go together is a usage error") func usage() throws {
    let alone = try ledger.run("rebuild", "--report")
    #expect(alone.status == 64)
    #expect(alone.errors.contains("--check"))
    let file = try ledger.run("rebuild", "--check", "changes.json")
    #expect(file.status == 64)
    #expect(file.errors.contains("--report"))
  }
}
