import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerOracle
import ModelComparison
import Testing

/// Compares the model with an independent implementation of the same two pages, over random
/// histories.
struct OracleComparisonTests {
  @Test("dense histories give what the oracle says", arguments: 0..<10)
  func denseHistories(block: UInt64) {
    for seed in (block * 40)..<(block * 40 + 40) {
      compare(Histories.dense(seed: seed), "dense \(seed)")
    }
  }

  @Test("the past is a fold of what had occurred by then") func pastFold() {
    for seed in 2_000..<2_060 as Range<UInt64> {
      let history = Histories.dense(seed: seed)
      let ledger = FoldedLedger(history)
      let times = ledger.facts.map(\.occurredAt).sorted()
      let moment = times[times.count / 2]
      let folded = InMemoryLedger(
        folding: ledger.facts.filter { $0.occurredAt <= moment }, texts: ledger)
      let answers = Oracle(history).answers(at: Instant(microseconds: moment))
      for (environment, answer) in answers where folded.context.environments.contains(environment) {
        var comparison = InMemoryComparison(ledger, folded)
        comparison.compare(environment, Expectation(answer), isNewest: false)
        #expect(comparison.differences.isEmpty, "\(seed): \(comparison.differences)")
      }
    }
  }

  @Test("late and shuffled histories give what the oracle says") func lateShuffled() {
    for seed in 1_000..<1_060 as Range<UInt64> {
      let history = Histories.dense(seed: seed, count: 40)
      compare(RecordedEvent.shuffled(history, seed: seed), "shuffled dense \(seed)")
      compare(RecordedEvent.newestFirst(history), "newest first dense \(seed)")
    }
  }

  @Test("histories edited at random give what the oracle says", arguments: 0..<4)
  func historiesEdited(block: UInt64) {
    for seed in (block * 40)..<(block * 40 + 40) {
      let history = EditedHistory.events(seed: seed)
      compare(history, "edited \(seed)")
      compare(RecordedEvent.shuffled(history, seed: seed), "shuffled edited \(seed)")
    }
  }

  @Test("long and sparse histories give what the oracle says") func longSparse() {
    for seed in 0..<4 as Range<UInt64> {
      compare(Histories.sparse(seed: seed, count: 400, accounts: 20), "sparse \(seed)")
      compare(Histories.realistic(seed: seed, count: 400), "realistic \(seed)")
      compare(Histories.dense(seed: 5_000 + seed, count: 250), "long dense \(seed)")
    }
  }

  private func compare(_ events: [RecordedEvent], _ name: String) {
    let ledger = FoldedLedger(events)
    let folded = ledger.folded
    var differences: [String] = []
    let stated = folded.context.environments
    for (environment, answer) in Oracle(events).answers() where stated.contains(environment) {
      var comparison = InMemoryComparison(ledger, folded)
      comparison.compare(environment, Expectation(answer))
      differences += comparison.differences
    }
    #expect(differences.isEmpty, "\(name): \(differences.joined(separator: "; "))")
  }
}
