import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerTesting
import Testing

@testable import LedgerQueries
@testable import LedgerStore

@Suite("What a release broke") struct HealthTests {
  private func change(_ new: (Int, Int), _ old: (Int, Int)) -> HealthReport.Change {
    HealthReport.Change(findings: new.0, of: new.1, before: old.0, of: old.1)
  }

  @Test("is said only where the numbers say it") func change() {
    #expect(change((50, 1_000), (10, 1_000)) == .worse)
    #expect(change((10, 1_000), (50, 1_000)) == .better)
    #expect(change((11, 1_000), (10, 1_000)) == .unclear)
    // Twice as often, of three purchases: that is chance.
    #expect(change((2, 3), (1, 3)) == .unclear)
    #expect(change((1, 1), (0, 1_000)) == .worse)
    #expect(change((0, 1_000), (0, 1_000)) == .unclear)
    #expect(change((5, 1_000), (50, 10_000)) == .unclear)
    #expect(change((5, 0), (5, 10)) == .unknown)
    #expect(change((5, 10), (5, 0)) == .unknown)
    // More findings than purchases are no fault of the arithmetic.
    #expect(change((900, 100), (100, 100)) == .worse)
  }

  @Test("the interval is the one between which the score test does not reject")
  func interval() {
    let quantile = 2.576
    for new in 0...30 {
      for old in 0...30 where new + old > 0 {
        let all = Double(new + old)
        let expected = 0.25
        let score =
          (Double(new) / all - expected) / (expected * (1 - expected) / all).squareRoot()
        let reported = change((new, 100), (old, 300))
        if abs(abs(score) - quantile) < 1e-9 { continue }
        #expect((reported == .worse) == (score > quantile), "\(new) and \(old)")
        #expect((reported == .better) == (score < -quantile), "\(new) and \(old)")
      }
    }
  }

  private func line(
    _ id: Int, _ type: String, _ session: Int, _ more: String = ""
  ) -> String {
    let time = Instant(microseconds: 1_770_000_000_000_000 + Int64(id) * 1_000_000).rfc3339
    return
      #"{"id":"e\#(id)","type":"\#(type)","occurredAt":"\#(time)","device":"phone","#
      + #""session":"s\#(session)","account":"ada"\#(more)}"#
  }

  private func walk(_ lines: [String]) throws -> LedgerWalk {
    let walk = try LedgerWalk()
    for line in lines {
      let event = try EventDecoder().decode(line: Array(line.utf8)).event
      try walk.ledger().appendAndWait([EventInput(event: event)])
    }
    return walk
  }

  @Test("versions are ordered as versions, and held against the one before with purchases")
  func versions() throws {
    var lines: [String] = []
    var id = 0
    for (session, version) in ["1.9", "1.10", "1.9.5", "x"].enumerated() {
      id += 1
      lines.append(
        line(id, "session.started", session, #","data":{"appVersion":"\#(version)"}"#))
      if version == "1.9.5" { continue }
      id += 1
      let sale = #","transaction":"t\#(session)","product":"map""#
      lines.append(line(id, "transaction.purchased", session, sale))
      for _ in 0..<2 {
        id += 1
        lines.append(line(id, "transaction.finished", session, #","transaction":"t\#(session)""#))
      }
    }
    let report = try walk(lines).ledger().read { (view) throws(LedgerError) in
      try view.health(by: .appVersion)
    }
    #expect(report.versions.map(\.version) == ["x", "1.10", "1.9.5", "1.9"])
    #expect(report.versions.map(\.before) == ["1.10", "1.9", "1.9", nil])
    #expect(report.versions.map(\.purchases) == [1, 1, 0, 1])
    #expect(report.versions.map(\.customers) == [1, 1, 1, 1])
    #expect(report.versions[0].rules.map(\.rule) == [.finishedTwice])
    #expect(report.versions[0].rules.map(\.findings) == [1])
    #expect(report.versions[2].rules.map(\.change) == [.unknown])
  }

  @Test("counts customers by the links of the time that is asked about") func linksOfThen() throws {
    let sale = #","transaction":"t1","product":"map""#
    let walk = try walk([
      line(1, "session.started", 0, #","data":{"appVersion":"1.0"}"#),
      line(2, "transaction.purchased", 0, sale),
      line(3, "note.added", 0, #","data":{"text":"hello"}"#).replacing(
        #""account":"ada""#, with: #""account":"bob""#),
      line(4, "account.linked", 0, #","data":{"to":"bob"}"#),
    ])
    func customers(_ clocks: Clocks) throws -> [Int] {
      var query = FindingsQuery()
      query.clocks = clocks
      return try walk.ledger().read { (view) throws(LedgerError) in
        try view.health(by: .appVersion, query).versions.map(\.customers)
      }
    }
    #expect(try customers(.now) == [1])
    #expect(try customers(Clocks(asOf: .position(3))) == [2])
  }

  @Test(
    "is what counting the events says", arguments: 1...6 as ClosedRange<UInt64>)
  func recount(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 77)
    let versions = ["1.0", "1.2", "1.10"]
    let events = Histories.dense(seed: seed, count: 140).map { recorded in
      var recorded = recorded
      guard recorded.event.type.kind == .sessionStarted else { return recorded }
      recorded.event.data.members.removeAll { $0.name == "appVersion" }
      let version = JSONValue.string(random.one(of: versions)).json
      recorded.event.data.members.append(.init(name: "appVersion", json: version))
      return recorded
    }
    let walk = try LedgerWalk()
    try walk.append(events)
    let all = StoreEnvironment.allCases
    try walk.ledger().read { (view) throws(LedgerError) in
      var query = FindingsQuery()
      query.environments = all
      let reported = try view.health(by: .appVersion, query)
      // Plainly: the newest start of each session by the fold's order says its version.
      let ordered = walk.arrived.sorted { EventFoldKey($0) < EventFoldKey($1) }
      var starts: [[Name?]: Name] = [:]
      for recorded in ordered where recorded.event.type.kind == .sessionStarted {
        let event = recorded.event
        starts[[event.device, event.session]] = event.data.name("appVersion")
      }
      func version(_ event: Event) -> Name? { starts[[event.device, event.session]] }
      var findings: [String: Int] = [:]
      for finding in try view.findings(query) {
        let name = version(try view.event(at: finding.position).event)
        findings["\(name?.text ?? "-") \(finding.rule.id)", default: 0] += 1
      }
      var counted: [String: Int] = [:]
      for version in reported.versions {
        for rate in version.rules where rate.findings > 0 {
          counted["\(version.version?.text ?? "-") \(rate.rule.id)"] = rate.findings
        }
      }
      #expect(counted == findings, "seed \(seed)")
      let entries = PostingOracle(walk.arrived).entries.filter { $0.kind == .sale }
      var purchases: [Name?: Int] = [:]
      for entry in entries {
        let first = ordered.first { recorded in
          let event = recorded.event
          return event.type.kind == .transactionPurchased
            && event.transaction == entry.transaction
            && !["notification", "receipt", "server"].contains(event.source?.text ?? "")
        }
        guard let first else { continue }
        purchases[version(first.event), default: 0] += 1
      }
      for group in reported.versions {
        #expect(group.purchases == purchases[group.version] ?? 0, "seed \(seed)")
      }
      #expect(purchases.values.reduce(0, +) > 0)
    }
  }
}
