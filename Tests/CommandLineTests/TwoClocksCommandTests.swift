import Foundation
import Testing

/// A refund that arrives late, and its reversal: on which clock each of them shows.
@Suite("The two clocks of the commands") struct TwoClocksCommandTests {
  private let ledger: TestLedger

  /// A purchase at noon that is reported a minute later, and was refunded 30 seconds after the
  /// purchase. The refund arrives second to last, and its reversal last.
  init() throws {
    ledger = try TestLedger()
    let notification = #","source":"notification","transaction":"t1""#
    let lines = [
      Sample.purchase("t1", of: "ada", at: 0),
      Sample.event("seen", at: 60, #","account":"ada""#),
      Sample.event("refund", "transaction.refunded", at: 30, notification),
      Sample.event("reversal", "transaction.refundReversed", at: 90, notification),
    ]
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  private func state(_ clocks: String...) throws -> String? {
    let answer = try ledger.run(["entitlements", "ada", "--format", "json"] + clocks).object()
    return (answer["entitlements"] as? [[String: Any]])?.first?["state"] as? String
  }

  private static func seconds(_ second: Int) -> String {
    "2026-02-01T12:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
  }

  @Test("a fact that came late changes what was, and not what was known") func late() throws {
    // At one store time, the answer changes on the ledger's clock.
    #expect(try state("--at", Self.seconds(60), "--as-of", "2") == "active")
    #expect(try state("--at", Self.seconds(60), "--as-of", "3") == "refunded")
    // Before the refund occurred, it changes nothing, however much is known.
    #expect(try state("--at", Self.seconds(10), "--as-of", "2") == "active")
    #expect(try state("--at", Self.seconds(10), "--as-of", "3") == "active")
  }

  @Test("a correction changes what is from then on, on both clocks") func corrected() throws {
    #expect(try state("--at", Self.seconds(60)) == "refunded")
    #expect(try state("--at", Self.seconds(90)) == "active")
    #expect(try state("--at", Self.seconds(90), "--as-of", "3") == "refunded")
    #expect(try state() == "active")
  }

  @Test("explain says what was known, and what was learned since") func explained() throws {
    let clocks = ["--at", Self.seconds(60), "--as-of", "2"]
    let text = try ledger.run(["explain", "ada", "map"] + clocks)
    #expect(text.lines.first?.hasPrefix("ada is entitled to map: map active since ") == true)
    #expect(text.lines[1] == "at \(Self.seconds(60)), as of position 2, because of these events:")
    #expect(
      text.output.contains("learned since, up to position 4: map refunded since "))
    #expect(text.output.contains(" at that time, because of these"))
    #expect(text.output.contains("the store's server refunded transaction t1"))
    let answer = try ledger.run(["explain", "ada", "map", "--format", "json"] + clocks).object()
    let learned = try #require(answer["learned"] as? [String: Any])
    #expect(learned["has"] as? Bool == false)
    let events = try #require(learned["events"] as? [[String: Any]])
    #expect(events.compactMap { $0["position"] as? Int } == [3])
    // With only a store time, everything is known and there is nothing to learn.
    let now = try ledger.run("explain", "ada", "map", "--at", Self.seconds(60), "--format", "json")
    #expect(try now.object()["has"] as? Bool == false)
    #expect(try now.object()["learned"] is NSNull)
  }

  @Test("a difference lies between two ledger times, or between two store times of one")
  func difference() throws {
    let noon = ["--from", Self.seconds(10), "--to", Self.seconds(60)]
    // As the ledger knew it before the refund arrived, nothing changed in that minute.
    #expect(try ledger.run(["diff"] + noon + ["--as-of", "2"]).lines == ["nothing changed"])
    #expect(
      try ledger.run(["diff"] + noon + ["--as-of", "3"]).lines == ["ada  map: active → refunded"])
    #expect(
      try ledger.run("diff", "--from", "2", "--to", "3", "--at", Self.seconds(60)).lines
        == ["ada  map: active → refunded"])
    #expect(
      try ledger.run("diff", "--from", "2", "--to", "3", "--at", Self.seconds(10)).lines
        == ["nothing changed"])
    // Without an end, up to the ledger time itself.
    #expect(
      try ledger.run("diff", "--from", Self.seconds(60), "--as-of", "4").lines
        == ["ada  map: refunded → active"])
  }

  @Test("a difference on no clock, or with its sides turned round, is refused")
  func refused() throws {
    let both = try ledger.run(
      "diff", "--from", Self.seconds(0), "--at", Self.seconds(9), "--as-of", "2")
    #expect(both.status == 64)
    #expect(both.errors.contains("cannot be combined"))
    let position = try ledger.run("diff", "--from", "1", "--as-of", "2")
    #expect(position.status == 64)
    #expect(position.errors.contains("store times"))
    let turned = try ledger.run(
      "diff", "--from", Self.seconds(9), "--to", Self.seconds(8), "--as-of", "2")
    #expect(turned.status == 64)
    #expect(turned.errors.contains("--from must not be later than --to"))
  }

  @Test(
    "every question takes both clocks, and a position that the ledger has not reached is refused",
    arguments: [
      "entitlements ada", "entitlements --transaction t1", "installed ada", "installed --outdated",
      "transactions ada", "transactions ada --open", "transactions --original t1", "findings",
      "findings --count", "findings --by rule", "findings --by appVersion",
      "findings --account ada",
      "holders map", "explain ada map", "events", "events --account ada", "events --count",
      "catalog", "catalog --invalid", "catalog --payments", "content updates",
    ])
  func everywhere(_ question: String) throws {
    let words = question.split(separator: " ").map(String.init)
    for asOf in ["3", "2026-02-01T12:00:00Z"] {
      let answer = try ledger.run(words + ["--at", Self.seconds(60), "--as-of", asOf])
      #expect(answer.status == 0, "\(question) --as-of \(asOf): \(answer.errors)")
    }
    let beyond = try ledger.run(words + ["--as-of", "5"])
    #expect(beyond.status == 65, "\(question): \(beyond.output)")
    #expect(beyond.errors.contains("no position 5"), "\(question): \(beyond.errors)")
  }

  @Test("a clock that cannot be read is a usage error") func unreadable() throws {
    #expect(try ledger.run("entitlements", "ada", "--as-of", "soon").status == 64)
    #expect(try ledger.run("entitlements", "ada", "--at", "3").status == 64)
  }
}
