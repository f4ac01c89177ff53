import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerStore
import Testing

/// A ledger in its own folder, without syncs, because these tests do not depend on the disk.
private final class ClockLedger {
  let ledger: Ledger
  private let path: String

  init() throws {
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    ledger = try Ledger.create(at: path, options: .init(sync: .onRequest))
  }

  func append(_ events: some Collection<RecordedEvent>) throws {
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }
}

/// One random history, given to a ledger event by event.
private struct ClockWalk {
  let seed: UInt64
  let events: [RecordedEvent]
  let questions: ClockQuestions
  private var random: SeededRandom

  init(seed: UInt64, count: Int, explaining: Int) {
    self.seed = seed
    var random = SeededRandom(seed: seed &+ 0x2C10C)
    let history = Histories.dense(seed: seed, count: count)
    events = seed % 2 == 1 ? RecordedEvent.shuffled(history, seed: seed) : history
    questions = ClockQuestions(about: events, explaining: explaining, &random)
    self.random = random
  }

  /// The answers of a ledger when it ended at a position.
  private struct Word {
    var answers: ClockAnswers
    /// The answers at a store time.
    var moment: Instant
    var thenAnswers: ClockAnswers
    /// The differences since an earlier position.
    var earlier: UInt64
    var differences: ClockAnswers
    var account: Name
    var accountDifferences: ClockAnswers
    /// The differences at a later store time.
    var later: Instant
    var laterDifferences: ClockAnswers
  }

  private func ask(
    _ ledger: Ledger, _ turn: UInt64, at moment: Instant? = nil, asOf end: UInt64? = nil
  ) throws -> ClockAnswers {
    let clocks = Clocks(at: moment, asOf: end.map { .position($0) })
    return try ClockAnswers(
      ledger, questions, ClockTerms(clocks: clocks, now: questions.now, turn: Int(turn)))
  }

  /// Asks everything after each position; at the end, asks about each position again.
  mutating func compareEachPosition() throws {
    let growing = try ClockLedger()
    var words: [Word] = []
    for event in events {
      try growing.append([event])
      if random.chance(1, in: 6) { try growing.ledger.fold() }
      let end = event.position
      let earlier = UInt64(random.below(Int(end) + 1))
      let moment = random.one(of: events).event.occurredAt
      let later = random.one(of: events).event.occurredAt
      let account = random.one(of: questions.accounts)
      words.append(
        Word(
          answers: try ask(growing.ledger, end), moment: moment,
          thenAnswers: try ask(growing.ledger, end, at: moment), earlier: earlier,
          differences: try .differences(
            growing.ledger, from: .position(earlier), to: .position(end)),
          account: account,
          accountDifferences: try .differences(
            growing.ledger, from: .position(earlier), to: .position(end), account: account,
            at: moment), later: later,
          laterDifferences: try .differences(
            growing.ledger, from: Clocks(at: moment), to: Clocks(at: later))))
    }
    for (word, event) in zip(words, events) {
      let end = event.position
      let note = "seed \(seed) as of \(end)"
      expectSame(try ask(growing.ledger, end, asOf: end), word.answers, note)
      expectSame(
        try ask(growing.ledger, end, at: word.moment, asOf: end), word.thenAnswers,
        "\(note) at \(word.moment)")
      expectSame(
        try .differences(growing.ledger, from: .position(word.earlier), to: .position(end)),
        word.differences, "\(note) since \(word.earlier)")
      expectSame(
        try .differences(
          growing.ledger, from: .position(word.earlier), to: .position(end),
          account: word.account, at: word.moment), word.accountDifferences,
        "\(note) since \(word.earlier) for \(word.account)")
      expectSame(
        try .differences(
          growing.ledger, from: Clocks(at: word.moment, asOf: .position(end)),
          to: Clocks(at: word.later, asOf: .position(end))), word.laterDifferences,
        "\(note) from \(word.moment) to \(word.later)")
    }
  }

  /// Asks about the store time of each event, and compares with a ledger that has only the events
  /// that had occurred by then.
  mutating func compareEachMoment() throws {
    let whole = try ClockLedger()
    let middle = random.below(events.count)
    try whole.append(events[..<middle])
    try whole.ledger.fold()
    try whole.append(events[middle...])
    for (turn, moment) in Set(events.map(\.believed)).sorted().enumerated() {
      let occurred = events.filter { $0.believed <= moment }
      let short = try ClockLedger()
      try short.append(occurred)
      if random.chance(1, in: 2) { try short.ledger.fold() }
      var terms = ClockTerms(now: moment, turn: turn)
      terms.end = UInt64(events.count)
      // A rule that holds at a moment is judged at the moment of the question, or, in a question
      // without one, at the newest event of the ledger.
      terms.findingsClocks = Clocks(at: moment)
      terms.position = { occurred[Int($0) - 1].position }
      let expected = try ClockAnswers(short.ledger, questions, terms)
      expectSame(
        try ClockAnswers(
          whole.ledger, questions,
          ClockTerms(clocks: Clocks(at: moment), now: questions.now, turn: turn)),
        expected, "seed \(seed) at \(moment)")
    }
  }

  private func expectSame(_ found: ClockAnswers, _ expected: ClockAnswers, _ note: String) {
    if found == expected { return }
    let differences = found.differences(from: expected)
    Issue.record("\(note): \(differences.prefix(6).joined(separator: "\n"))")
  }
}

extension RecordedEvent {
  /// The store time that the model uses (`events.md`, *The order of events*).
  fileprivate var believed: Instant {
    let dayAhead = recordedAt.microseconds + 24 * 3600 * 1_000_000
    return event.occurredAt.microseconds > dayAhead ? recordedAt : event.occurredAt
  }
}

/// Every question on both clocks is answered as by a ledger that has no later events.
@Suite("The two clocks") struct TwoClocksTests {
  @Test(
    "as of each position every question is answered as by a ledger that was stopped there",
    arguments: 1...2 as ClosedRange<UInt64>)
  func positions(_ seed: UInt64) throws {
    var walk = ClockWalk(seed: seed, count: 20, explaining: 1)
    try walk.compareEachPosition()
  }

  @Test(
    "at each store time every question is answered as by a ledger of what had occurred",
    arguments: 1...2 as ClosedRange<UInt64>)
  func moments(_ seed: UInt64) throws {
    var walk = ClockWalk(seed: seed, count: 20, explaining: 1)
    try walk.compareEachMoment()
  }
}

@Suite("HeavyTwoClocks: many histories at every position and time") struct HeavyTwoClocksTests {
  /// The number of histories, unless `DAYBOOK_HISTORIES` overrides it. This takes about a minute on
  /// two cores. The whole set is 200.
  private static let historiesCount = 16

  /// Returns the seeds for one of eight parts: first the histories that have revealed an error,
  /// then others from `first` on. `DAYBOOK_SEED` selects a single history.
  private func seeds(
    from first: UInt64, _ part: UInt64, revealing known: [UInt64] = []
  ) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["DAYBOOK_SEED"].flatMap({ UInt64($0) }) {
      return part == 0 ? [seed] : []
    }
    let count =
      environment["DAYBOOK_HISTORIES"].flatMap { UInt64($0) } ?? UInt64(Self.historiesCount)
    let others = (first..<first + count).filter { !known.contains($0) }
    return (known + others).prefix(Int(count)).enumerated()
      .filter { $0.offset % 8 == Int(part) }.map(\.element)
  }

  @Test(
    "as of each position every question is answered as by a ledger that was stopped there",
    arguments: 0..<8 as Range<UInt64>)
  func positions(_ part: UInt64) throws {
    for seed in seeds(from: 1_000, part, revealing: [1_047, 1_133]) {
      var walk = ClockWalk(seed: seed, count: 50, explaining: 3)
      try walk.compareEachPosition()
    }
  }

  @Test(
    "at each store time every question is answered as by a ledger of what had occurred",
    arguments: 0..<8 as Range<UInt64>)
  func moments(_ part: UInt64) throws {
    for seed in seeds(from: 2_000, part) {
      var walk = ClockWalk(seed: seed, count: 50, explaining: 3)
      try walk.compareEachMoment()
    }
  }
}
