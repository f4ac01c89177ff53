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
    let (since, then) = ("2026-02-01T12:00:00Z", "2026-02-01T12:01:00Z")
    #expect(answer.lines.first == "ada has not map: map refunded since \(then)")
    #expect(answer.output.contains("the store's server refunded transaction t1"))
    #expect(answer.output.contains("map active since \(since) → map refunded since \(then)"))
    #expect(answer.output.contains("without it: map active since \(since)"))
  }

  @Test("what has ended is not said to last until then") func ended() throws {
    let line = Sample.event(
      "sub", "transaction.purchased", at: 5,
      #","account":"eve","transaction":"s1","product":"monthly","#
        + #""data":{"expiresAt":"2026-02-01T13:00:00Z"}"#)
    #expect(try ledger.run("append", input: line).status == 0)
    func verdict(_ time: String) throws -> String? {
      try ledger.run("explain", "eve", "monthly", "--at", time).lines.first
    }
    let since = "monthly active since 2026-02-01T12:00:05Z until 2026-02-01T13:00:00Z"
    #expect(try verdict("2026-02-01T12:30:00Z") == "eve has monthly: \(since)")
    let over = try verdict("2026-02-01T14:00:00Z")
    #expect(over?.contains("monthly expired since") == true, "\(over ?? "")")
    #expect(over?.hasSuffix("ended 2026-02-01T13:00:00Z") == true, "\(over ?? "")")
    let diff = try ledger.run(
      "diff", "eve", "--as-of", "3", "--from", "2026-02-01T12:30:00Z", "--to",
      "2026-02-01T14:00:00Z")
    #expect(
      diff.lines == [
        "eve  monthly: active until 2026-02-01T13:00:00Z → expired ended 2026-02-01T13:00:00Z"
      ])
  }

  @Test("each clock gives its own answer, explained") func clocks() throws {
    let before = try ledger.run("explain", "ada", "map", "--at", "2026-02-01T12:00:30Z")
    #expect(before.lines.first == "ada has map: map active since 2026-02-01T12:00:00Z")
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
    #expect(
      product.lines == [
        "ada has not hat",
        "because this customer has not bought it, was not given it, and did not try to.",
      ])
  }
}
