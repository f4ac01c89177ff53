import Foundation
import Testing

/// Words that are not in the vocabulary. They are reported with their location, and refused if the
/// event could never be corrected.
@Suite("append and misspelled words") struct AppendSpellingTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func refund(_ id: String, _ more: String) -> String {
    Sample.event(id, "transaction.refunded", #","transaction":"t1""# + more)
  }

  @Test("a type that is nearly a known one is refused, with the one that was meant")
  func nearType() throws {
    let lines = [
      Sample.event("a"), Sample.event("b", "transaction.purchsed", #","transaction":"t1""#),
    ]
    let answer = try ledger.run(
      "append", "--format", "json", input: lines.joined(separator: "\n"))
    #expect(answer.status == 65)
    let errors = try #require(try answer.object()["errors"] as? [[String: Any]])
    #expect(errors.first?["line"] as? Int == 2)
    #expect(errors.first?["column"] as? Int == 18)
    #expect(errors.first?["field"] as? String == "type")
    let reason = try #require(errors.first?["reason"] as? String)
    #expect(reason.contains("did you mean transaction.purchased?"))
    #expect(reason.contains("--allow-unknown"))
    #expect(try ledger.events().count == 1)
    // The line with an id can still be corrected.
    let right = Sample.event(
      "b", "transaction.purchased", #","transaction":"t1","product":"map""#)
    #expect(try ledger.run("append", input: right).status == 0)
  }

  @Test("a type that is nearly a known one is appended where that is wanted") func allowed() throws
  {
    let line = Sample.event("b", "transaction.purchsed")
    let answer = try ledger.run("append", "--allow-unknown", input: line)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.errors.contains("-:1:18: warning: type: "), "\(answer.errors)")
    #expect(try ledger.events().count == 1)
  }

  @Test("a type like no known one is kept, and said which") func farType() throws {
    let line = Sample.event("b", "weather.changed")
    let answer = try ledger.run("append", input: line)
    #expect(answer.status == 0)
    #expect(answer.output.contains("1 event of unknown types"))
    #expect(answer.errors.contains(#""weather.changed" is not a known type"#))
    #expect(
      try ledger.run("append", "--strict", input: Sample.event("c", "rain.fell")).status == 65)
  }

  @Test("a field inside a list of `data` is compared, too") func nested() throws {
    let line = Sample.event(
      "c", "catalog.set",
      #","source":"operator","data":{"products":[{"product":"map","kind":"consumable","#
        + #""grant":{"coins":5},"shelf":"top"}]}"#)
    let answer = try ledger.run("append", "--format", "json", input: line)
    let warnings = try #require(try answer.object()["warnings"] as? [[String: Any]])
    #expect(warnings.map { $0["field"] as? String } == ["data.products[].grant"])
    #expect(
      (warnings.first?["reason"] as? String)?.hasSuffix("did you mean grants?") == true,
      "\(warnings)")
    #expect(warnings.first?["column"] as? Int != nil)
    #expect(
      try ledger.run("append", "--strict", input: line.replacing(#""c""#, with: #""d""#)).status
        == 65)
  }

  @Test(
    "a field that is nearly a known one, and an unknown source, are warnings with their locations",
    arguments: [
      (#","data":{"prcent":50}"#, "data.prcent", "did you mean percent?", 104),
      (#","data":{"reason":"x","Percent":50}"#, "data.Percent", "did you mean percent?", 117),
      (#","source":"notifcation""#, "source", "did you mean notification?", 105),
      (#","source":"carrier-pigeon""#, "source", #"counts as "app""#, 105),
    ])
  func warned(_ more: String, field: String, reason: String, column: Int) throws {
    let answer = try ledger.run("append", "--format", "json", input: refund("r", more))
    #expect(answer.status == 0)
    #expect(answer.errors.isEmpty)
    let warnings = try #require(try answer.object()["warnings"] as? [[String: Any]])
    #expect(warnings.count == 1)
    #expect(warnings.first?["field"] as? String == field)
    #expect((warnings.first?["reason"] as? String)?.contains(reason) == true, "\(warnings)")
    #expect(warnings.first?["line"] as? Int == 1)
    #expect(warnings.first?["column"] as? Int == column)
    let strict = try ledger.run("append", "--strict", input: refund("s", more))
    #expect(strict.status == 65)
    #expect(strict.errors.contains("-:1:\(column): \(field): "), "\(strict.errors)")
    #expect(try ledger.events().count == 1)
  }

  @Test("fields of the writer's own are no mistakes") func ownFields() throws {
    let line = refund("r", #","data":{"weather":"rain","screen":"shop","percentage":1}"#)
    let answer = try ledger.run("append", "--strict", input: line)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.errors.isEmpty)
  }

  @Test("a warning that comes again is counted, and there are not too many") func counted() throws {
    let again = (1...50).map { refund("r\($0)", #","data":{"prcent":\#($0)}"#) }
    let answer = try ledger.run("append", input: again.joined(separator: "\n"))
    #expect(answer.errors.split(separator: "\n").count == 2, "\(answer.errors)")
    #expect(answer.errors.contains("50 lines in all"))
    let different = (1...150).map {
      Sample.event("n\($0)", "note.added", #","source":"s\#(1_000 + $0)""#)
    }
    let many = try ledger.run(
      "append", "--format", "json", input: different.joined(separator: "\n")
    ).object()
    #expect((many["warnings"] as? [Any])?.count == 100)
    #expect(many["warningsOmitted"] as? Int == 50)
  }

  @Test("the answer to a line says what it was warned of") func eachLine() throws {
    let answer = try ledger.run(
      "append", "--format", "jsonl", input: refund("r", #","data":{"prcent":50}"#))
    #expect(answer.lines.first?.contains(#""status":"appended","reason":"data.prcent: "#) == true)
  }
}
