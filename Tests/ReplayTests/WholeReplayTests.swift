import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import Replay

/// A replay reports what a fold of everything at each event would: events are reported part by
/// part, and the result is the same.
@Suite("A replay, against one that asks for everything again") struct WholeReplayTests {
  @Test("tells the same of dense histories", arguments: 1...60)
  func dense(seed: UInt64) {
    compare(Histories.dense(seed: seed), seed)
  }

  @Test("tells the same where events come late", arguments: 1...60)
  func late(seed: UInt64) {
    compare(RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed), seed)
    compare(
      RecordedEvent.shuffled(Histories.sparse(seed: seed, count: 80, accounts: 6), seed: seed),
      seed)
  }

  @Test("tells the same of longer histories", arguments: 1...6)
  func realistic(seed: UInt64) {
    compare(Histories.realistic(seed: seed, count: 300), seed)
    compare(Histories.sparse(seed: seed, count: 250, accounts: 4), seed)
  }

  @Test("tells the same of some steps, before some background", arguments: 1...40)
  func steps(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    let positions = events.map(\.position)
    let steps = positions.filter { _ in random.chance(1, in: 2) }
    let background = positions.filter { !steps.contains($0) && random.chance(1, in: 2) }
    compare(events, seed, steps: Set(steps), background: Set(background))
  }

  private func compare(
    _ events: [RecordedEvent], _ seed: UInt64, steps: Set<UInt64>? = nil,
    background: Set<UInt64> = []
  ) {
    var reported: [ReplayStep] = []
    _ = Replay(events, steps: steps, background: background).run { reported.append($0) }
    let expected = WholeReplay(events, steps: steps, background: background).run()
    #expect(reported.count == expected.count)
    for (step, whole) in zip(reported, expected) {
      let note = "seed \(seed), position \(step.event.position)"
      #expect(step.changes == whole.changes, "\(note)")
      #expect(step.earlierChanges == whole.earlierChanges, "\(note)")
      #expect("\(step.broken)" == "\(whole.broken)", "\(note)")
      #expect("\(step.settled)" == "\(whole.settled)", "\(note)")
      if step.changes != whole.changes { return }
    }
  }
}
