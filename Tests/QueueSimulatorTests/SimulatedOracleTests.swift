import LedgerEvents
import LedgerModel
import LedgerOracle
import ModelComparison
import QueueAuditor
import QueueSimulator
import Testing

/// Compares the reducer with the oracle over simulated runs.
struct SimulatedOracleTests {
  @Test("simulated runs give what the oracle says", arguments: AppPolicy.all.map(\.name))
  func simulatedRuns(policy: String) throws {
    let policy = try #require(AppPolicy.named(policy))
    for file in ScenarioCase.all { try compareWithOracle(SimulatedRun(file, policy, nil)) }
    for file in ScenarioCase.explored {
      for number in 0..<12 { try compareWithOracle(SimulatedRun(file, policy, number)) }
    }
  }
}

/// Fails if the reducer's answers to a run differ from the oracle's.
func compareWithOracle(_ run: SimulatedRun) throws {
  let events = run.recorded
  let ledger = FoldedLedger(events)
  let folded = ledger.folded
  var differences: [String] = []
  let answers = Oracle(events).answers()
  for (environment, answer) in answers where folded.context.environments.contains(environment) {
    var comparison = InMemoryComparison(ledger, folded)
    comparison.compare(environment, Expectation(answer))
    differences += comparison.differences
    if run.file.scenario.setsCatalog { differences += unlike(answer, run.audited.holdings()) }
  }
  #expect(!answers.isEmpty, "\(run.label)")
  if !differences.isEmpty {
    Issue.record("\(run.label)\n  \(differences.prefix(8).joined(separator: "\n  "))")
  }
}

/// Returns where the oracle's answer differs from the sales and refunds.
private func unlike(_ answer: Oracle.Answer, _ holdings: [Name: Holdings]) -> [String] {
  var differences: [String] = []
  for (name, account) in answer.accounts {
    let held = holdings[name] ?? Holdings()
    let active = Set(account.states.filter { $0.value == "active" }.keys)
    if active != held.products {
      differences.append("\(name) has \(active), bought \(held.products)")
    }
    if account.balances != held.balances {
      differences.append("\(name) has \(account.balances), bought \(held.balances)")
    }
  }
  return differences
}
