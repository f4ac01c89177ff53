import Foundation
import Testing

@Suite("append") struct AppendTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  @Test("answers with what was appended") func appended() throws {
    let answer = try ledger.run("append", "--format", "json", input: Sample.notes("note", 3))
    #expect(answer.status == 0)
    let summary = try answer.object()
    #expect(summary["appended"] as? Int == 3)
    #expect(summary["firstPosition"] as? Int == 1)
    #expect(summary["lastPosition"] as? Int == 3)
  }

  @Test("appends nothing the second time") func again() throws {
    _ = try ledger.run("append", input: Sample.notes("note", 3))
    let before = try ledger.run("events").output
    let summary = try ledger.run("append", "--format", "json", input: Sample.notes("note", 3))
      .object()
    #expect(summary["appended"] as? Int == 0)
    #expect(summary["duplicates"] as? Int == 3)
    #expect(summary["firstPosition"] is NSNull)
    #expect(try ledger.run("events").output == before)
  }

  @Test("counts a last line without a line feed") func lastLine() throws {
    let answer = try ledger.run("append", input: Sample.event("a") + "\n" + Sample.event("b"))
    #expect(answer.status == 0)
    #expect(try ledger.run("events", "--count").output == "2\n")
  }

  @Test("keeps what stands before a bad line, and nothing after it") func stops() throws {
    let input = [Sample.event("a"), #"{"id":"b","typ":"x"}"#, Sample.event("c")]
    let answer = try ledger.run(
      "append", "--format", "json", input: input.joined(separator: "\n"))
    #expect(answer.status == 65)
    let summary = try answer.object()
    #expect(summary["appended"] as? Int == 1)
    #expect(summary["rejected"] as? Int == 1)
    let errors = try #require(summary["errors"] as? [[String: Any]])
    #expect(errors.count == 1)
    #expect(errors.first?["line"] as? Int == 2)
    #expect(errors.first?["file"] as? String == "-")
    #expect(errors.first?["column"] is Int)
    #expect(try ledger.events().count == 1)
  }

  @Test("skips bad lines and puts them aside") func skips() throws {
    let bad = #"{"id":"b","typ":"x"}"#
    let rejects = ledger.folder.path("rejects.jsonl")
    let answer = try ledger.run(
      "append", "--on-error", "skip", "--rejects", rejects,
      input: [Sample.event("a"), bad, Sample.event("c")].joined(separator: "\n"))
    #expect(answer.status == 65)
    #expect(try ledger.events().count == 2)
    let kept = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: rejects)))
        as? [String: Any])
    #expect(kept["text"] as? String == bad)
    #expect(kept["file"] as? String == "-")
    #expect(kept["line"] as? Int == 2)
    #expect(kept["field"] as? String == "typ")
    #expect((kept["reason"] as? String)?.isEmpty == false)
  }

  @Test("refuses other content under a known id") func conflict() throws {
    _ = try ledger.run("append", input: Sample.event("a"))
    let answer = try ledger.run(
      "append", "--format", "jsonl", "--on-error", "skip",
      input: Sample.event("a", at: 5) + "\n" + Sample.event("b"))
    #expect(answer.status == 65)
    #expect(answer.lines.count == 2)
    #expect(answer.lines[0].contains(#""status":"rejected""#))
    #expect(answer.lines[1].contains(#""status":"appended""#))
    // The other line was appended, and no message says that it was not.
    #expect(answer.errors.contains("give this event a new id."), "\(answer.errors)")
    #expect(!answer.errors.contains("Nothing"), "\(answer.errors)")
    #expect(try ledger.events().count == 2)
  }

  @Test("answers each line with its position") func eachLine() throws {
    _ = try ledger.run("append", input: Sample.event("a"))
    let answer = try ledger.run(
      "append", "--format", "jsonl", input: Sample.event("a") + "\n\n" + Sample.event("b"))
    #expect(
      answer.lines == [
        #"{"line":1,"id":"a","position":1,"status":"duplicate","reason":null}"#,
        #"{"line":3,"id":"b","position":2,"status":"appended","reason":null}"#,
      ])
  }

  @Test("takes an environment for lines that state none") func environment() throws {
    _ = try ledger.run("append", "--environment", "sandbox", input: Sample.event("a"))
    #expect(try ledger.events().first?.contains(#""environment":"sandbox""#) == true)
  }

  @Test("refuses the whole input where a matching event stands after the position")
  func expectation() throws {
    _ = try ledger.run("append", input: Sample.purchase("t1", of: "ada"))
    let refused = try ledger.run(
      "append", "--expect", "0", "--account", "ada", input: Sample.notes("note", 2))
    #expect(refused.status == 65)
    #expect(try ledger.events().count == 1)
    let taken = try ledger.run(
      "append", "--expect", "1", "--account", "ada", input: Sample.notes("note", 2))
    #expect(taken.status == 0)
    #expect(try ledger.events().count == 3)
  }

  @Test("refuses a consumption that is not covered") func consumption() throws {
    let line = Sample.event(
      "spend", "consumable.consumed",
      #","account":"ada","data":{"unit":"credits","amount":5,"required":true}"#)
    let answer = try ledger.run("append", input: line)
    #expect(answer.status == 65)
    #expect(try ledger.events().isEmpty)
  }
}
