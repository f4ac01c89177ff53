import Foundation
import Testing

@Suite("replay, what if") struct ReplayEditTests {
  private let trace = "Tools/samples/incidents/copied-too-late.jsonl"

  private func replay(_ arguments: String...) throws -> Outcome {
    try Program.run(["replay", trace] + arguments)
  }

  private func rules(_ difference: Any?, _ member: String) -> [String] {
    let findings = (difference as? [String: Any])?[member] as? [[String: Any]]
    return findings?.compactMap { $0["rule"] as? String } ?? []
  }

  @Test("a dropped event takes its findings with it") func drop() throws {
    let document = try replay("--drop", "16", "--format", "json").object()
    #expect((document["steps"] as? [Any])?.count == 19)
    let difference = document["difference"]
    #expect(
      rules(difference, "gone")
        == ["finished-before-install", "content-missing-at-install", "undelivered"])
    #expect(rules(difference, "new") == ["removed-without-finish", "undelivered"])
  }

  @Test("edits are made in the order in which they are given") func order() throws {
    let refused = try replay("--drop", "19", "--move", "16", "after", "19")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("Event 19 was dropped by an edit that goes before"))
    let done = try replay("--move", "16", "after", "19", "--drop=19")
    #expect(done.status == 0)
    #expect(done.output.contains("    16 moved after 19: now 19 at 2020-10-21T08:14:48.955001Z"))
    #expect(done.output.contains("! gone finished-before-install @ 16 (critical)"))
    #expect(done.output.contains("! new  install-failed-then-finished @ 19 (was 16) (critical)"))
  }

  @Test("an event that happens twice, and what changes nothing") func again() throws {
    let done = try replay("--repeat", "12")
    #expect(done.output.contains("12 repeated: now 13 at 2020-10-21T08:14:42.869001Z"))
    #expect(done.output.contains("what would have changed\n    nothing"))
  }

  @Test("events of a file go after one, or when they say") func insert() throws {
    let folder = try TemporaryFolder()
    let device = #""device":"B534A8ED-B7FD-437F-A787-F9C18C989611""#
    let line =
      #"{"id":"new","type":"content.installed","occurredAt":"2020-10-21T08:14:46Z",\#(device),"#
      + #""product":"example.trailmaps.region.dolomites","transaction":"280009455902729","#
      + #""download":"dolomites-1","data":{"contentVersion":"1.6"}}"#
    try Data(line.utf8).write(to: folder.file("extra.jsonl"))
    let file = folder.path("extra.jsonl")
    let timed = try replay("--insert", file, "--format", "json").object()
    #expect(rules(timed["difference"], "gone").contains("finished-before-install"))
    let changed = (timed["difference"] as? [String: Any])?["changed"] as? [[String: Any]]
    #expect(changed?.map { $0["kind"] as? String } == ["installed"])
    #expect(changed?.map { $0["after"] as? String } == ["1.6"])
    let late = try replay("--insert", file, "after", "18")
    #expect(late.output.contains("1 event inserted after 18: now 19"))
    #expect(!late.output.contains("gone finished-before-install"))
    #expect(try replay("--insert", folder.path("none.jsonl")).status == 66)
  }

  @Test("what is not there is refused with what is") func refused() throws {
    let unknown = try replay("--drop", "99")
    #expect(unknown.status == 65)
    #expect(unknown.errors.contains("There is no event 99: the source has 20 events from 1 to 20."))
    #expect(try replay("--move", "12", "20").status == 64)
    #expect(try replay("--move", "12", "after").status == 64)
    #expect(try replay("--insert", "x.jsonl", "after", "soon").status == 64)
    let swallowed = try Program.run(["replay", "--move", "12", "after", "20", trace])
    #expect(swallowed.status == 64)
    #expect(swallowed.errors.contains("before --move"))
  }

  @Test("a slice of a ledger is edited by its positions") func slice() throws {
    let ledger = try TestLedger()
    for name in ["alps-as-it-should-be", "copied-too-late"] {
      _ = try ledger.run("append", "Tools/samples/incidents/\(name).jsonl")
    }
    let done = try ledger.run("replay", "--from", "45", "--to", "61", "--drop", "57")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.output.contains("gone finished-before-install @ 57"))
  }

  @Test("until stops at a position, a time or a finding, in JSON, too") func until() throws {
    for (end, count) in [("9", 9), ("2020-10-21T08:14:40Z", 8), ("finding", 16)] {
      let document = try replay("--until", end, "--format", "json").object()
      let steps = try #require(document["steps"] as? [[String: Any]])
      #expect(steps.count == count, "\(end)")
      #expect(steps.allSatisfy { $0["state"] == nil && $0["earlierChanges"] is [Any] })
    }
    let document = try replay("--until", "finding", "--format", "json").object()
    #expect((document["findings"] as? [Any])?.count == 1)
    let state = try #require(document["state"] as? [[String: Any]])
    #expect(
      state.map { "\($0["kind"] ?? "") \($0["standing"] ?? "")" } == [
        "transaction purchased, finished", "download finished, version 1.6", "entitlement active",
      ])
    #expect(try replay("--until", "soon").status == 64)
  }

  @Test("a slice tells in JSON what was there when it began, as changes") func began() throws {
    let ledger = try TestLedger()
    _ = try ledger.run("append", "Tools/samples/incidents/copied-too-late.jsonl")
    func replay(_ more: String...) throws -> [String: Any] {
      try ledger.run(["replay", "--format", "json"] + more).object()
    }
    let whole = try replay("--from", "1")
    let slice = try replay("--from", "16")
    let steps = try #require(slice["steps"] as? [[String: Any]])
    #expect((steps.first?["earlierChanges"] as? [Any])?.isEmpty == false)
    #expect(steps.dropFirst().allSatisfy { ($0["earlierChanges"] as? [Any])?.isEmpty == true })
    func lines(_ document: [String: Any]) throws -> [String] {
      try #require(document["state"] as? [[String: Any]]).map {
        "\($0["kind"] ?? "") \($0["name"] ?? "") \($0["standing"] ?? "")"
      }
    }
    #expect(try lines(slice) == lines(whole))
    // The combined changes give the final state.
    var state: [String: String] = [:]
    for step in steps {
      for change in ["earlierChanges", "changes"].flatMap({ step[$0] as? [[String: Any]] ?? [] }) {
        state["\(change["kind"] ?? "") \(change["name"] ?? "")"] = change["after"] as? String
      }
    }
    #expect(try lines(slice).sorted() == state.map { "\($0) \($1)" }.sorted())
  }
}

@Suite("replay --html") struct ReplayPageTests {
  private let trace = "Tools/samples/incidents/copied-too-late.jsonl"

  @Test("writes one page, the same each time, and says what is in it") func page() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("page.html")
    let said = try Program.run(["replay", trace, "--html", file])
    #expect(said.status == 0, "\(said.errors)")
    #expect(said.output == "\(file): 20 steps, 3 findings\n")
    let page = try Data(contentsOf: folder.file("page.html"))
    #expect(String(decoding: page, as: UTF8.self).hasPrefix("<!DOCTYPE html>"))
    let again = try Program.run(["replay", trace, "--html", "-"])
    #expect(Data(again.output.utf8) == page)
  }

  @Test("shows the edited events, and says what the edits changed") func edited() throws {
    let folder = try TemporaryFolder()
    let said = try Program.run(
      ["replay", trace, "--drop", "16", "--html", folder.path("page.html")])
    #expect(said.output.contains("gone finished-before-install @ 16"))
    let page = try String(contentsOf: folder.file("page.html"), encoding: .utf8)
    #expect(page.contains("copied-too-late.jsonl, 16 dropped"))
  }

  @Test("a file that cannot be made is refused") func refused() throws {
    let said = try Program.run(["replay", trace, "--html", "/nowhere/page.html"])
    #expect(said.status == 73)
    #expect(said.errors.contains("/nowhere/page.html cannot be made"))
    #expect(try Program.run(["replay", trace, "--html", "-", "--format", "json"]).status == 64)
  }
}
