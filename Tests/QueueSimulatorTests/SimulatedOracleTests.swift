import LedgerEvents
import LedgerModel
import LedgerOracle
import ModelComparison
import QueueSimulator
import Testing

/// The reducer against the oracle over simulated runs.
struct SimulatedOracleTests {
  @Test(arguments: AppPolicy.all.map(\.name))
  func `Simulated runs come to what the oracle says`(policy: String) throws {
    let policy = try #require(AppPolicy.named(policy))
    for file in ScenarioCase.all { try compareWithOracle(SimulatedRun(file, policy, nil)) }
    for file in ScenarioCase.explored {
      for number in 0..<12 { try compareWithOracle(SimulatedRun(file, policy, number)) }
    }
  }
}

/// Fails where the reducer's answers to a run are not the oracle's.
func compareWithOracle(_ run: SimulatedRun) throws {
  let events = run.recorded
  let ledger = FoldedLedger(events)
  let book = ledger.book
  var differences: [String] = []
  let answers = Oracle(events).answers()
  for (environment, answer) in answers where book.context.environments.contains(environment) {
    var comparison = BookComparison(ledger, book)
    comparison.compare(environment, Expectation(answer))
    differences += comparison.differences
  }
  #expect(!answers.isEmpty, "\(run.label)")
  if !differences.isEmpty {
    Issue.record("\(run.label)\n  \(differences.prefix(8).joined(separator: "\n  "))")
  }
}
