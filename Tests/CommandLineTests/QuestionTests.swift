import Foundation
import Testing

@Suite("Questions") struct QuestionTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.event(
        "start", "session.started", at: 0,
        #","account":"ada","device":"phone-ada","session":"s1","data":{"appVersion":"2.0"}"#),
      Sample.purchase("t1", of: "ada", at: 1), Sample.purchase("t2", of: "bob", at: 2),
      Sample.event(
        "finish", "transaction.finished", at: 3,
        #","device":"phone-ada","session":"s1","transaction":"t1""#),
      Sample.event(
        "finish-again", "transaction.finished", at: 4,
        #","device":"phone-ada","session":"s1","transaction":"t1""#),
      Sample.event("later", at: 5),
    ])
  }

  private func types(_ arguments: String...) throws -> [String] {
    try ledger.run(["events"] + arguments).lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["type"] as? String ?? ""
    }
  }

  @Test("an account's events are all of its customer's") func ofAccount() throws {
    let types = try types("--account", "ada")
    #expect(
      types == [
        "session.started", "transaction.purchased", "transaction.finished", "transaction.finished",
      ])
  }

  @Test("a type may be a pattern") func pattern() throws {
    #expect(try types("--type", "transaction.*").count == 4)
    #expect(try types("--type", "*.finished").count == 2)
    #expect(try types("--type", "*").count == 6)
    #expect(try types("--type", "*F*").isEmpty)
  }

  @Test("an unknown type is found by its name") func unknownType() throws {
    _ = try ledger.run("append", input: Sample.event("x", "weather.changed", at: 9))
    #expect(try types("--type", "weather.changed") == ["weather.changed"])
    #expect(try types("--type", "weather.*") == ["weather.changed"])
  }

  @Test("positions are both included, times are half open") func ranges() throws {
    #expect(try types("--from", "2", "--to", "3").count == 2)
    #expect(
      try types("--since", "2026-02-01T12:00:02Z", "--until", "2026-02-01T12:00:04Z").count == 2)
  }

  @Test("the newest comes first where asked, and no more than asked") func reverse() throws {
    #expect(try types("--reverse", "--limit", "2") == ["note.added", "transaction.finished"])
    #expect(try types("--reverse").count == 6)
  }

  @Test("events can be appended elsewhere, and are the same there") func exported() throws {
    let exported = try ledger.run("events").output
    let other = try TestLedger()
    #expect(try other.run("append", input: exported).status == 0)
    #expect(try other.events() == ledger.events())
  }

  @Test("events are counted by what they say, and by their session") func counted() throws {
    #expect(try ledger.run("events", "--count").output == "6\n")
    let types = try ledger.run("events", "--count", "--by", "type", "--format", "json").objects()
    #expect(types.first?["type"] as? String == "transaction.finished")
    #expect(types.first?["count"] as? Int == 2)
    let versions = try ledger.run("events", "--by", "appVersion", "--format", "json").objects()
    let counts = versions.map { ($0["appVersion"] as? String, $0["count"] as? Int) }
    #expect(counts.contains { $0 == ("2.0", 3) })
    #expect(counts.contains { $0 == (nil, 3) })
  }

  @Test("what the ledger knew then can be asked") func asOf() throws {
    let now = try ledger.run("entitlements", "ada", "--format", "json").object()
    #expect(now["active"] as? [String] == ["map"])
    let before = try ledger.run("entitlements", "ada", "--as-of", "1", "--format", "json").object()
    #expect(before["active"] as? [String] == [])
    #expect(before["known"] as? Bool == true)
    #expect(before["position"] as? Int == 1)
    let empty = try ledger.run("entitlements", "bob", "--as-of", "1", "--format", "json").object()
    #expect(empty["known"] as? Bool == false)
  }

  @Test("an unknown account is an empty answer that says so") func unknownAccount() throws {
    let answer = try ledger.run("entitlements", "eve", "--format", "json")
    #expect(answer.status == 0)
    #expect(try answer.object()["known"] as? Bool == false)
  }

  @Test("that an account is unknown is said where there is nothing to list")
  func unknownInstalled() throws {
    let unknown = "account eve is not known to the ledger (position 6)\n"
    #expect(try ledger.run("installed", "eve").output == unknown)
    #expect(try ledger.run("installed", "ada").output == "nothing\n")
    let json = try ledger.run("installed", "eve", "--format", "json").object()
    #expect(json["known"] as? Bool == false)
    let past = try ledger.run("installed", "bob", "--as-of", "1").output
    #expect(past == "account bob is not known to the ledger (position 1)\n")
  }

  @Test("a customer is found by a transaction") func byTransaction() throws {
    let answer = try ledger.run("entitlements", "--transaction", "t2", "--format", "json").object()
    #expect(answer["active"] as? [String] == ["map"])
  }

  @Test("holders are listed with their state") func holders() throws {
    let holders = try ledger.run("holders", "map", "--format", "jsonl").lines
    #expect(holders.count == 2)
    #expect(try ledger.run("holders", "map", "--state", "revoked").output == "no holders\n")
  }

  @Test("what is still on the queue is told apart") func open() throws {
    let bob = try ledger.run("transactions", "bob", "--open", "--format", "json").object()
    #expect((bob["transactions"] as? [Any])?.count == 1)
    let ada = try ledger.run("transactions", "ada", "--open", "--format", "json").object()
    #expect((ada["transactions"] as? [Any])?.isEmpty == true)
  }

  @Test("a finding can fail a check") func failOn() throws {
    #expect(try ledger.run("findings", "--fail-on", "warning").status == 1)
    #expect(try ledger.run("findings", "--fail-on", "critical").status == 0)
    #expect(try ledger.run("findings", "--rule", "redelivered", "--fail-on", "info").status == 0)
  }

  @Test("findings are counted by the app's version") func findingsByVersion() throws {
    let counts = try ledger.run("findings", "--by", "appVersion", "--format", "json").objects()
    #expect(counts.contains { $0["appVersion"] as? String == "2.0" && $0["count"] as? Int == 1 })
  }

  @Test("a threshold decides when open is too long") func thresholds() throws {
    let arguments = ["findings", "--rule", "never-finished", "--at", "2026-02-02T00:00:00Z"]
    #expect(try ledger.run(arguments).output == "no findings\n")
    let found = try ledger.run(arguments + ["--threshold", "never-finished=PT2H"])
    #expect(found.lines.count == 2)
  }

  @Test("rebuilding changes no answer") func rebuilt() throws {
    let questions = [
      ["findings"], ["transactions", "ada"], ["installed", "ada"], ["holders", "map"],
    ]
    let before = try questions.map { try ledger.run($0).output }
    #expect(try ledger.run("rebuild").status == 0)
    #expect(try questions.map { try ledger.run($0).output } == before)
    #expect(try ledger.run("rebuild", "--check").status == 0)
  }

  @Test("deleting the projections loses nothing") func deleted() throws {
    let before = try ledger.run("findings").output
    try FileManager.default.removeItem(atPath: ledger.path + "/projections")
    let refused = try ledger.run("findings")
    #expect(refused.status == 75)
    #expect(refused.errors.contains("daybook rebuild"))
    #expect(try ledger.run("rebuild").status == 0)
    #expect(try ledger.run("findings").output == before)
  }
}
