import Foundation
import Testing

/// Times are read and printed in one zone by every command.
@Suite("Times on the command line") struct TimesTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    // Around a midnight of Berlin that is also the end of a month.
    let lines = [
      event("a", "2026-04-30T21:59:59Z"), event("b", "2026-04-30T22:00:00Z"),
      event("c", "2026-05-01T08:00:00.5Z"), event("d", "2026-05-31T22:00:00Z"),
    ]
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  private func event(_ id: String, _ time: String) -> String {
    #"{"id":"\#(id)","type":"transaction.purchased","occurredAt":"\#(time)","account":"ada","#
      + #""transaction":"\#(id)","product":"map-\#(id)"}"#
  }

  private static let berlin = ["--tz", "Europe/Berlin"]

  @Test("a month is the zone's, and its end is not in it") func ranges() throws {
    let april = try ledger.run(
      ["events", "--count", "--since", "2026-04", "--until", "2026-05"] + Self.berlin)
    #expect(april.output == "1\n", "\(april.errors)")
    let may = ["events", "--count", "--since", "2026-05", "--until", "2026-06"]
    #expect(try ledger.run(may + Self.berlin).output == "2\n")
    #expect(try ledger.run(may).output == "2\n")
    #expect(try ledger.run(may, environment: ["TZ": "Europe/Berlin"]).output == "2\n")
    #expect(try ledger.run("events", "--count", "--until", "2026-05").output == "2\n")
    let day = ["events", "--count", "--since", "2026-05-01", "--until", "2026-05-01 10:00"]
    #expect(try ledger.run(day + Self.berlin).output == "1\n")
  }

  @Test("the option counts wherever it stands, and more than TZ") func option() throws {
    let command = ["events", "--format", "table", "--limit", "1"]
    let shown = "2026-04-30T23:59:59+02:00"
    let commands = [
      command + ["--tz=Europe/Berlin"], ["events", "--tz", "Europe/Berlin"] + command.dropFirst(),
    ]
    for words in commands { #expect(try ledger.run(words).output.contains(shown)) }
    let variable = try ledger.run(command, environment: ["TZ": ":Europe/Berlin"])
    #expect(variable.output.contains(shown))
    let both = try ledger.run(command + Self.berlin, environment: ["TZ": "Asia/Tokyo"])
    #expect(both.output.contains(shown))
  }

  @Test("tables are in the zone, and JSON is in UTC")
  func formats() throws {
    let questions = [
      ["entitlements", "ada", "--at", "2026-05-02"], ["holders", "map-c"], ["transactions", "ada"],
      ["explain", "ada", "map-c"], ["events", "--limit", "3"],
    ]
    for question in questions {
      let table = try ledger.run(question + Self.berlin + ["--format", "table"])
      #expect(table.output.contains("2026-05-01T10:00:00.5+02:00"), "\(table.output)")
      #expect(!table.output.contains("08:00:00.5Z"), "\(table.output)")
      let json = try ledger.run(question + Self.berlin + ["--format", "json"])
      #expect(json.output.contains("2026-05-01T08:00:00.5Z"), "\(json.output)")
      #expect(!json.output.contains("+02:00"), "\(json.output)")
    }
  }

  @Test("days and months of counts and sums are the zone's") func groups() throws {
    let months = try ledger.run(["events", "--by", "month", "--format", "jsonl"] + Self.berlin)
    #expect(
      Set(months.lines) == [
        #"{"month":"2026-04","count":1}"#, #"{"month":"2026-05","count":2}"#,
        #"{"month":"2026-06","count":1}"#,
      ])
    let days = try ledger.run(["events", "--sum", "quantity", "--by", "day"] + Self.berlin)
    let found = days.lines.dropFirst().map { String($0.prefix(10)) }
    #expect(found == ["2026-04-30", "2026-05-01", "2026-06-01"])
    let universal = try ledger.run("events", "--by", "day", "--format", "jsonl")
    #expect(universal.lines.contains(#"{"day":"2026-04-30","count":2}"#))
  }

  @Test("both clocks are asked in the zone") func clocks() throws {
    let at = ["entitlements", "ada", "--format", "json", "--at", "2026-05-01 10:00"]
    let then = try ledger.run(at + Self.berlin).object()
    #expect(then["at"] as? String == "2026-05-01T08:00:00Z")
    #expect((then["active"] as? [String])?.count == 2)
    let known = try ledger.run(
      ["entitlements", "ada", "--format", "json", "--as-of", "2026-05-01"] + Self.berlin)
    #expect(try known.object()["known"] as? Bool == false, "\(known.errors)")
  }

  @Test("what an operator dates is recorded in UTC") func recorded() throws {
    let grant = [
      "grant", "ada", "--entitlement", "pro", "--operator", "kim", "--reason", "gift", "--dry-run",
      "--occurred-at", "2026-05-11 10:00", "--until", "2026-06",
    ]
    let event = try ledger.run(grant + Self.berlin)
    #expect(event.output.contains(#""occurredAt":"2026-05-11T08:00:00Z""#), "\(event.errors)")
    #expect(event.output.contains(#""until":"2026-05-31T22:00:00Z""#))
    let past = try ledger.run(grant.dropLast() + ["30d"])
    #expect(past.status == 64)
    #expect(past.errors.contains("write +30d"), "\(past.errors)")
  }

  @Test(
    "what is no time, no zone or no range is refused, with what to write",
    arguments: [
      (["events", "--since", "last week"], "a month (2026-05)"),
      (["events", "--tz", "Europe/Berln"], "did you mean Europe/Berlin?"),
      (["events", "--tz", "CET-1"], "expected a name such as Europe/Berlin"),
      (["events", "--tz", "Europe/Berlin", "--since", "2026-03-29 02:30"], "no clock in"),
      (["findings", "--tz", "Europe/Berlin", "--until", "2026-10-25 02:30"], "twice"),
      (["events", "--since", "2026-05", "--until", "2026-05"], "name the next one"),
      (["events", "--since", "2026-06", "--until", "2026-05"], "must not be later"),
      (["diff", "--from", "soon"], "expected a position (1200), a date (2026-05-11)"),
    ])
  func refused(_ arguments: [String], said: String) throws {
    let answer = try ledger.run(arguments)
    #expect(answer.status == 64, "\(answer.output)")
    #expect(answer.errors.contains(said), "\(answer.errors)")
  }

  @Test("a variable that names no zone is reported, and times are in UTC") func variable() throws {
    let answer = try ledger.run(
      ["events", "--format", "table", "--limit", "1"], environment: ["TZ": "CET-1CEST"])
    #expect(answer.status == 0)
    #expect(answer.output.contains("2026-04-30T21:59:59Z"))
    #expect(answer.errors.contains("TZ=CET-1CEST names no time zone"), "\(answer.errors)")
    let silent = try ledger.run(["events"], environment: ["TZ": "CET-1CEST"])
    #expect(silent.errors.isEmpty)
  }

  @Test("a difference that is empty on one clock names the other") func otherClock() throws {
    let ledgerTime = try ledger.run("diff", "--from", "2026-04", "--to", "2026-05")
    #expect(ledgerTime.lines == ["nothing changed"])
    #expect(ledgerTime.errors.contains("add --as-of 4"), "\(ledgerTime.errors)")
    let storeTime = try ledger.run(
      "diff", "--from", "2026-04", "--to", "2026-05", "--as-of", "4")
    #expect(storeTime.lines.count == 2, "\(storeTime.output)")
    let fixed = try ledger.run("diff", "--from", "1", "--at", "2026-04")
    #expect(fixed.errors.contains("in place of --at"), "\(fixed.errors)")
    let none = try ledger.run("diff", "--from", "2025-04", "--to", "2025-05", "--as-of", "4")
    #expect(none.lines == ["nothing changed"])
    #expect(none.errors.contains("Leave --as-of out"), "\(none.errors)")
    let json = try ledger.run("diff", "--from", "4", "--format", "json")
    #expect(json.errors.isEmpty)
  }
}
