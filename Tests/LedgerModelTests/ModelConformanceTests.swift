import LedgerEvents
import LedgerHistories
import LedgerModel
import ModelComparison
import Testing

@Suite(
  "The model on recorded incidents",
  .enabled(if: Conformance.isPresent, "skipped: no ../shared beside the package"))
struct ModelConformanceTests {
  @Test("a fold answers every history as expected") func foldAnswers() throws {
    for history in try #require(Conformance()).histories() {
      let differences = history.differences(arriving: history.events)
      #expect(differences.isEmpty, "\(history.name): \(differences.joined(separator: "; "))")
    }
  }

  @Test(
    "the order of arrival changes nothing but what arrived late", arguments: [1, 2, 3] as [UInt64])
  func orderArrival(seed: UInt64) throws {
    for (number, history) in try #require(Conformance()).histories().enumerated() {
      let shuffled = RecordedEvent.shuffled(history.events, seed: UInt64(number) << 8 | seed)
      let differences = history.differences(arriving: shuffled)
      #expect(differences.isEmpty, "\(history.name): \(differences.joined(separator: "; "))")
    }
  }

  @Test("a fold answers every trace as expected, in order and shuffled") func foldAnswersEvery()
    throws
  {
    for trace in try #require(Conformance()).traces() {
      check(trace, arriving: trace.events)
      check(trace, arriving: RecordedEvent.shuffled(trace.events, seed: 7))
    }
  }

  private func check(_ trace: Conformance.Trace, arriving events: [RecordedEvent]) {
    let ledger = FoldedLedger(events)
    let folded = ledger.folded
    let at = folded.newestEvent(in: .production) ?? 0
    let findings = folded.findings.map(\.rule.id).filter { $0 != "arrived-late" }
    let expected = trace.findings.filter { $0 != "arrived-late" }
    #expect(findings.sorted() == expected.sorted(), "\(trace.name)")
    let moment = folded.findings(at: at, in: .production).map(\.rule.id)
    #expect(moment.sorted() == trace.findingsAtTheEnd.sorted(), "\(trace.name)")
    let account = Subject.account(ledger.number(.account, trace.account))
    let answer = folded.answer(account, at: at)
    for (name, state) in trace.entitled {
      let entry = answer.entries.first { ledger.text(of: $0.product) == name && $0.product != 0 }
      let given = entry?.state.text ?? (answer.active.contains(name) ? "active" : "none")
      #expect(given == state, "\(trace.name): \(name)")
    }
    var installed: [Name?: [Name: String]] = [:]
    for content in folded.installed(account) {
      let device: Name? = content.device == 0 ? nil : ledger.text(of: content.device)
      installed[device, default: [:]][ledger.text(of: content.product)] = content.version.text
    }
    #expect(installed == trace.installed, "\(trace.name)")
    let balances = Dictionary(
      uniqueKeysWithValues: answer.balances.map { ($0.unit, $0.amount) })
    #expect(balances == trace.balances, "\(trace.name)")
  }
}
