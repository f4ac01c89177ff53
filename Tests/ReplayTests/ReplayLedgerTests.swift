import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import Replay

/// After each event, the ledger of a replay gives the same answers as a fresh fold of the same
/// events.
@Suite("The ledger of a replay") struct ReplayLedgerTests {
  @Test("equals a fresh fold after each event", arguments: 1...40)
  func equalsAFreshFold(seed: UInt64) {
    compare(Histories.dense(seed: seed))
  }

  @Test("equals a fresh fold where events come late", arguments: 1...40)
  func equalsAFreshFoldOfLateEvents(seed: UInt64) {
    compare(RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed))
  }

  private func compare(_ events: [RecordedEvent]) {
    let numbered = NumberedEvents(events)
    var growing = ReplayLedger(texts: numbered)
    for index in numbered.facts.indices {
      growing.append([numbered.facts[index]])
      let fresh = InMemoryLedger(folding: Array(numbered.facts[...index]), texts: numbered)
      expect(growing.findings, fresh.findings, index)
      var open: [Finding] = []
      for environment in StoreEnvironment.allCases {
        guard let moment = fresh.newestEvent(in: environment) else { continue }
        open += fresh.findings(at: moment, in: environment)
        for account in fresh.units.flatMap(\.knownAccounts) {
          let answer = growing.ledger.answer(
            .account(account), environments: EnvironmentSet(environment), at: moment)
          let expected = fresh.answer(
            .account(account), environments: EnvironmentSet(environment), at: moment)
          #expect(answer == expected, "position \(index + 1), \(environment)")
        }
      }
      expect(growing.findingsAtTheEnd(ReplayJudgement()), open, index)
    }
  }

  private func expect(_ growing: [Finding], _ fresh: [Finding], _ index: Int) {
    var counts: [Finding: Int] = [:]
    for finding in growing { counts[finding, default: 0] += 1 }
    for finding in fresh { counts[finding, default: 0] -= 1 }
    #expect(counts.values.allSatisfy { $0 == 0 }, "position \(index + 1)")
  }
}

/// The steps of a replay, taken together, equal the results of folding everything.
@Suite("A replay") struct ReplayRunTests {
  @Test("what was broken and not settled is what is broken", arguments: 1...40)
  func balances(seed: UInt64) {
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    var counts: [String: Int] = [:]
    let outcome = Replay(events).run { step in
      for finding in step.broken { counts["\(finding)", default: 0] += 1 }
      for finding in step.settled { counts["\(finding)", default: 0] -= 1 }
    }
    #expect(outcome.steps == events.count)
    for finding in outcome.findings { counts["\(finding)", default: 0] -= 1 }
    #expect(counts.values.allSatisfy { $0 == 0 })
  }

  @Test("each change goes on from where the one before ended", arguments: 1...40)
  func goesOn(seed: UInt64) {
    let events = Histories.dense(seed: seed)
    var lines: [ReplaySubject: ReplayStanding] = [:]
    _ = Replay(events).run { step in
      for change in step.changes {
        #expect(lines[change.subject] == change.before)
        lines[change.subject] = change.after
      }
    }
    #expect(!lines.isEmpty)
  }
}
