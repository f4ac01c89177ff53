import Foundation
import LedgerEvents
import LedgerHistories
import LedgerOracle
import Testing

/// The sample incidents of the project: each is valid alone, and all of them together.
@Suite("The sample incidents") struct IncidentTests {
  private static let all: [Conformance.Trace] = {
    do {
      guard let root = packageRoot() else { return [] }
      return try Conformance.traces(in: root.appending(path: "Tools/samples/incidents"))
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test("there are plenty") func therePlenty() {
    #expect(Self.all.count >= 59)
  }

  @Test("each gives what stands beside it, in order and newest first") func eachGives() {
    for incident in Self.all {
      check(incident, arriving: incident.events, isInOrder: true)
      check(incident, arriving: RecordedEvent.newestFirst(incident.events), isInOrder: false)
    }
  }

  @Test("in one ledger they do not disturb each other") func oneLedger() {
    let answers = Oracle(RecordedEvent.appended(Self.all.flatMap(\.arrivals))).answers()
    let findings = answers.values.flatMap(\.findings).map(\.rule)
    #expect(findings.sorted() == Self.all.flatMap(\.findings).sorted())
    for incident in Self.all {
      let own = answers[.production]?.accounts[incident.account] ?? Oracle.Account()
      #expect(own.installed == incident.installed, "\(incident.name)")
      #expect(own.balances == incident.balances, "\(incident.name)")
    }
  }

  /// One rule depends on the ledger's own clock, which no sample can set.
  @Test("they break every rule but the one about the ledger's clock") func theyBreak() {
    let rules = Set(Self.all.flatMap { $0.findings + $0.findingsAtTheEnd })
    #expect(rules.count == 49)
    #expect(!rules.contains("clock-ahead"))
  }

  private func check(
    _ incident: Conformance.Trace, arriving events: [RecordedEvent], isInOrder: Bool
  ) {
    let answers = Oracle(events).answers()
    func reported(_ rules: [String]) -> [String] {
      rules.filter { isInOrder || $0 != "arrived-late" }.sorted()
    }
    #expect(
      reported(answers.values.flatMap(\.findings).map(\.rule)) == reported(incident.findings),
      "\(incident.name)")
    #expect(
      reported(answers.values.flatMap(\.moment).map(\.rule)) == reported(incident.findingsAtTheEnd),
      "\(incident.name)")
    let own = answers[.production]?.accounts[incident.account] ?? Oracle.Account()
    for (name, state) in incident.entitled {
      let given = own.states[name] ?? (own.active.contains(name) ? "active" : "none")
      #expect(given == state, "\(incident.name): \(name)")
    }
    let listed = Array(own.states.keys) + own.active
    #expect(listed.allSatisfy { incident.entitled[$0] != nil }, "\(incident.name) lists more")
    #expect(own.installed == incident.installed, "\(incident.name)")
    #expect(own.balances == incident.balances, "\(incident.name)")
  }
}
