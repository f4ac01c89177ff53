import Foundation
import Testing

@Suite("replay") struct ReplayTests {
  private let trace = "Tools/samples/incidents/copied-too-late.jsonl"

  private func steps(_ arguments: [String], ledger: String? = nil) throws -> [[String: Any]] {
    let answer = try Program.run(["replay"] + arguments + ["--format", "jsonl"], ledger: ledger)
    try #require(answer.status == 0, "\(answer.errors)")
    return try answer.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  private func rules(_ step: [String: Any], _ member: String = "broken") -> [String] {
    (step[member] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
  }

  @Test("each event is a step, with what it changed") func stepsOfATrace() throws {
    let steps = try steps([trace])
    #expect(steps.count == 20)
    let purchase = try #require(steps[8]["changes"] as? [[String: Any]])
    #expect(purchase.contains { $0["kind"] as? String == "entitlement" })
    #expect(
      purchase.contains {
        $0["kind"] as? String == "transaction" && $0["before"] is NSNull
          && $0["after"] as? String == "purchased, open"
      })
    #expect(rules(steps[15]) == ["finished-before-install"])
    #expect(rules(steps[17]) == ["content-missing-at-install"])
  }

  @Test("what is still broken comes last") func atTheEnd() throws {
    let answer = try Program.run(["replay", trace, "--format", "json"])
    let document = try answer.object()
    #expect((document["steps"] as? [Any])?.count == 20)
    let end = try #require(document["findingsAtTheEnd"] as? [[String: Any]])
    #expect(end.map { $0["rule"] as? String } == ["undelivered"])
  }

  @Test("it stops where it was told to") func until() throws {
    #expect(try steps([trace, "--until", "finding"]).count == 16)
    #expect(try steps([trace, "--until", "9"]).count == 9)
    #expect(try steps([trace, "--until", "2020-10-21T08:14:40Z"]).count == 8)
  }

  @Test("a late event shows what was broken before, and what was not") func late() throws {
    let folder = try TemporaryFolder()
    let lines = [
      Sample.purchase("t1", of: "ada", at: 0),
      Sample.event(
        "finish", "transaction.finished", at: 10, #","device":"phone-ada","transaction":"t1""#),
      Sample.event(
        "again", "transaction.finished", at: 20, #","device":"phone-ada","transaction":"t1""#),
      Sample.event(
        "redelivered", "transaction.purchased", at: 15,
        #","account":"ada","device":"phone-ada","transaction":"t1","product":"map""#),
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: folder.file("late.jsonl"))
    let steps = try steps([folder.path("late.jsonl")])
    #expect(rules(steps[2]) == ["finished-twice"])
    #expect(rules(steps[3], "settled") == ["finished-twice"])
    #expect(rules(steps[3]).contains("delivered-after-finish"))
  }

  @Test("a slice of a ledger is reported with what it rests on") func slice() throws {
    let ledger = try TestLedger()
    for name in ["alps-as-it-should-be", "copied-too-late"] {
      let appended = try ledger.run("append", "Tools/samples/incidents/\(name).jsonl")
      #expect(appended.status == 0)
    }
    let account = "87e41ba5-a8ff-4e59-ad18-f729a2f6eb07"
    let steps = try steps(["--account", account], ledger: ledger.path)
    #expect(steps.count == 19)
    #expect(
      steps.flatMap { rules($0) } == ["finished-before-install", "content-missing-at-install"])
    let transaction = try self.steps(["--transaction", "280009455902729"], ledger: ledger.path)
    #expect(transaction.count == 11)
    let positions = try self.steps(["--from", "40", "--to", "45"], ledger: ledger.path)
    #expect(positions.compactMap { $0["position"] as? Int } == Array(40...45))
  }

  @Test("an empty slice has no steps") func emptySlice() throws {
    let ledger = try TestLedger()
    #expect(try steps(["--account", "nobody"], ledger: ledger.path).isEmpty)
  }
}
