import Foundation
import Testing

/// What a replay is asked beside its steps: a scenario of it, and how its end is judged.
@Suite("replay --emit, --at and --threshold") struct ReplayEmitTests {
  private let trace = "Tools/samples/incidents/copied-too-late.jsonl"
  private let account = "87e41ba5-a8ff-4e59-ad18-f729a2f6eb07"

  /// The outcome of a replay, without positions: a scenario counts its events from 1.
  private struct Reported: Equatable {
    var steps: [String]
    var broken: [[String]]
    var changes: [Int]
    var findings: [String]
    var atTheEnd: [String]

    init(_ arguments: [String], ledger: String? = nil) throws {
      let answer = try Program.run(["replay"] + arguments + ["--format", "json"], ledger: ledger)
      try #require(answer.status == 0, "\(answer.errors)")
      let document = try answer.object()
      let steps = try #require(document["steps"] as? [[String: Any]])
      self.steps = steps.map { ($0["event"] as? [String: Any])?["id"] as? String ?? "" }
      broken = steps.map { Self.findings($0["broken"]) }
      changes = steps.map { ($0["changes"] as? [Any])?.count ?? -1 }
      findings = Self.findings(document["findings"])
      atTheEnd = Self.findings(document["findingsAtTheEnd"])
    }

    private static func findings(_ value: Any?) -> [String] {
      (value as? [[String: Any]] ?? []).map { finding in
        ["rule", "occurredAt", "transaction", "download", "detail"]
          .map { "\(finding[$0] as? String ?? "-")" }.joined(separator: " ")
      }
    }
  }

  @Test(
    "a scenario of a slice has the same outcome as the slice",
    arguments: [
      ["--account", "87e41ba5-a8ff-4e59-ad18-f729a2f6eb07"],
      ["--transaction", "280009455902729"], ["--from", "44", "--to", "52"],
    ])
  func slice(_ slice: [String]) throws {
    let ledger = try TestLedger()
    for name in ["alps-as-it-should-be", "copied-too-late"] {
      #expect(try ledger.run("append", "Tools/samples/incidents/\(name).jsonl").status == 0)
    }
    let folder = try TemporaryFolder()
    let file = folder.path("slice.json")
    let emitted = try Program.run(["replay"] + slice + ["--emit", file], ledger: ledger.path)
    #expect(emitted.status == 0, "\(emitted.errors)")
    #expect(emitted.output.hasPrefix("\(file): "))
    let reported = try Reported(slice, ledger: ledger.path)
    #expect(reported.steps.count > 5)
    #expect(try Reported([file]) == reported)
    // What it expects is what comes out of it.
    let checked = try Program.run(["simulate", file, "--check"])
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    // The control: another event is another outcome.
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let changed = text.replacingOccurrences(of: "transaction.finished", with: "note.added")
    try Data(changed.utf8).write(to: folder.file("changed.json"))
    if text != changed {
      #expect(try Program.run(["simulate", folder.path("changed.json"), "--check"]).status != 0)
    }
  }

  @Test("a scenario of a trace ends where the replay does") func until() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("trace.json")
    let emitted = try Program.run(["replay", trace, "--until", "finding", "--emit", file])
    #expect(emitted.output == "\(file): 16 events, 2 findings\n")
    #expect(try Reported([file]).steps.count == 16)
    let again = try Program.run(["replay", trace, "--emit", file])
    #expect(again.status == 73, "a file that is there is kept")
    #expect(try Program.run(["replay", trace, "--emit", file, "--force"]).status == 0)
    #expect(try Reported([file]) == Reported([trace]))
  }

  @Test("the end is judged at a time, and by thresholds") func judged() throws {
    let folder = try TemporaryFolder()
    try Data(Sample.purchase("t1", of: "ada").utf8).write(to: folder.file("open.jsonl"))
    let file = folder.path("open.jsonl")
    #expect(try Reported([file]).atTheEnd.isEmpty)
    func rules(_ arguments: String...) throws -> [String] {
      try Reported([file] + arguments).atTheEnd.map { String($0.prefix { $0 != " " }) }
    }
    #expect(try rules("--at", "2026-02-03T12:00:00Z") == ["never-finished"])
    #expect(
      try rules("--at", "2026-02-03T12:00:00Z", "--threshold", "never-finished=P3D").isEmpty)
    #expect(
      try rules("--at", "2026-02-01T14:00:00Z", "--threshold", "never-finished=PT1H")
        == ["never-finished"])
    #expect(try Reported([file, "--at", "2026-02-01T11:00:00Z"]).steps.isEmpty)
    let refused = try Program.run([
      "replay", file, "--emit", "x.json", "--at", "2026-02-03T12:00:00Z",
    ])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("leave out --at and --threshold"))
  }
}
