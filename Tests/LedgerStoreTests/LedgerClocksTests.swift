import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerOracle
import Testing

@testable import LedgerStore

/// Compares a ledger's answers about the past with those of the oracle.
private struct PastComparison {
  let walk: LedgerWalk
  let events: [RecordedEvent]
  private(set) var differences: [String] = []

  /// Half of the events are folded and the rest is not.
  init(_ events: [RecordedEvent], _ random: inout SeededRandom) throws {
    walk = try LedgerWalk()
    self.events = events
    let middle = random.below(events.count)
    if middle > 0 { try walk.append(events[..<middle]) }
    try walk.ledger().fold()
    try walk.append(events[middle...])
  }

  /// As of a position, answers equal those of a ledger that stops there.
  mutating func compare(asOf position: Int) throws {
    let known = Array(events.prefix(position))
    try compare(
      known, at: nil, Clocks(asOf: .position(UInt64(position))), "as of \(position)")
  }

  mutating func compare(at moment: Instant) throws {
    try compare(events, at: moment, Clocks(at: moment), "at \(moment)")
  }

  mutating func compare(at moment: Instant, asOf position: Int) throws {
    let known = Array(events.prefix(position))
    try compare(
      known, at: moment, Clocks(at: moment, asOf: .position(UInt64(position))),
      "at \(moment) as of \(position)")
  }

  private mutating func compare(
    _ known: [RecordedEvent], at moment: Instant?, _ clocks: Clocks, _ name: String
  ) throws {
    let answers = Oracle(known).answers(at: moment)
    let seen = known.filter { recorded in moment.map { recorded.event.occurredAt <= $0 } ?? true }
    let questions = LedgerQuestions(answers, about: seen)
    let past = try LedgerStatement(walk.ledger(), questions, clocks: clocks)
    let found = past.differences(from: LedgerStatement(answers, to: questions))
    if !found.isEmpty { differences.append("\(name): \(found.prefix(8))") }
  }
}

/// Asks about a few moments, positions and both.
private func compare(seed: UInt64, moments: Int, withDownloads: Bool = false) throws {
  var random = SeededRandom(seed: seed &+ 0xC10C)
  var events = Histories.dense(seed: seed)
  if withDownloads { events = RecordedEvent.renumbered(events.withDownloads(&random)) }
  if seed % 2 == 1 { events = RecordedEvent.shuffled(events, seed: seed) }
  var comparison = try PastComparison(events, &random)
  for _ in 0..<moments {
    try comparison.compare(asOf: 1 + random.below(events.count))
    try comparison.compare(at: random.one(of: events).event.occurredAt)
    try comparison.compare(
      at: random.one(of: events).event.occurredAt, asOf: 1 + random.below(events.count))
  }
  #expect(comparison.differences.isEmpty, "seed \(seed)")
}

@Suite("Questions about the past")
struct LedgerClocksTests {
  @Test("as of a position and at a moment give what was true then")
  func dense() throws {
    for seed in 0..<16 as Range<UInt64> { try compare(seed: seed, moments: 3) }
  }

  @Test("say the same of customers who download much, most of which is left out")
  func downloads() throws {
    for seed in 40..<52 as Range<UInt64> {
      try compare(seed: seed, moments: 2, withDownloads: true)
    }
  }

  @Test("as of a position are answered as by a ledger that was stopped there")
  func stopped() throws {
    for seed in 200..<203 as Range<UInt64> {
      let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
      let whole = try LedgerWalk()
      try whole.append(events)
      for position in stride(from: 5, to: events.count, by: 17) {
        let stopped = try LedgerWalk()
        try stopped.append(events.prefix(position))
        let questions = LedgerQuestions(events.prefix(position))
        let then = try LedgerStatement(
          whole.ledger(), questions, clocks: Clocks(asOf: .position(UInt64(position))))
        let now = try LedgerStatement(stopped.ledger(), questions)
        #expect(then.differences(from: now).isEmpty, "seed \(seed) at \(position)")
      }
    }
  }

  @Test("as of a time end at the last position that was recorded up to it")
  func recorded() throws {
    let walk = try LedgerWalk()
    var events = Array(Histories.dense(seed: 3).prefix(6))
    // The ledger's clock went backwards before the fourth event.
    for (index, second) in [10, 20, 30, 15, 25, 40].enumerated() {
      events[index].recordedAt = Instant(
        microseconds: 1_900_000_000_000_000 + Int64(second) * Instant.second)
    }
    try walk.append(events)
    try walk.ledger().read { (view) throws(LedgerError) in
      let start = events[0].recordedAt.microseconds
      for (after, expected) in [(-1, 0), (0, 1), (5, 4), (14, 4), (15, 5), (29, 5), (30, 6)] {
        let time = Instant(microseconds: start + Int64(after) * Instant.second)
        let position = try view.position(.instant(time))
        #expect(position == UInt64(expected), "\(after) seconds after the first")
      }
    }
  }

  @Test("beyond the ledger's end are refused")
  func beyond() throws {
    let walk = try LedgerWalk()
    try walk.append(Histories.dense(seed: 3).prefix(6))
    let error = #expect(throws: LedgerError.self) {
      try LedgerStatement(
        walk.ledger(), LedgerQuestions(walk.arrived), clocks: Clocks(asOf: .position(7)))
    }
    #expect(error?.code == .notFound)
  }
}

@Suite("HeavyLedgerClocks: many questions about the past")
struct HeavyLedgerClocksTests {
  @Test(
    "as of a position and at a moment give what was true then", arguments: 0..<6 as Range<UInt64>)
  func dense(part: UInt64) throws {
    for seed in 0..<60 as Range<UInt64> { try compare(seed: 500 + seed * 6 + part, moments: 6) }
  }
}
