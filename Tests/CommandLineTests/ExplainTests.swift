import Foundation
import Testing

@Suite("explain") struct ExplainTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    let lines = [
      Sample.purchase("t1", of: "ada", at: 0),
      Sample.event(
        "refund", "transaction.refunded", at: 60, #","source":"notification","transaction":"t1""#),
    ]
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  @Test("it says what decides, in order, with what there would be without it") func text() throws {
    let answer = try ledger.run("explain", "ada", "map")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.lines.first == "ada has not map: map refunded")
    #expect(answer.output.contains("the store's server refunded transaction t1"))
    #expect(answer.output.contains("map active → map refunded"))
    #expect(answer.output.contains("without it: map active"))
  }

  @Test("each clock gives its own answer, explained") func clocks() throws {
    let before = try ledger.run("explain", "ada", "map", "--at", "2026-02-01T12:00:30Z")
    #expect(before.lines.first == "ada has map: map active")
    let known = try ledger.run("explain", "ada", "map", "--as-of", "1", "--format", "json").object()
    #expect(known["has"] as? Bool == true)
    #expect(known["position"] as? Int == 1)
    #expect((known["events"] as? [Any])?.count == 1)
    #expect(try ledger.run("explain", "ada", "map", "--as-of", "3").status == 65)
  }

  @Test("what nobody knows is said to be unknown, and is no error") func unknown() throws {
    let account = try ledger.run("explain", "bob", "map", "--format", "json")
    #expect(account.status == 0)
    #expect(try account.object()["because"] as? String == "unknownAccount")
    let product = try ledger.run("explain", "ada", "hat")
    #expect(product.lines == ["ada has not hat", "because no event of this customer concerns it."])
  }
}
