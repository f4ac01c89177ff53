import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

@testable import Replay

/// A ledger in its own folder, which is removed with it.
private final class SlicedLedger {
  private let path: String
  private let ledger: Ledger
  let events: [RecordedEvent]

  /// The first `folded` events are in the projections, the others in the tail.
  init(_ events: [RecordedEvent], folded: Int) throws {
    self.events = events
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    // Nothing is synced, because these tests do not depend on the disk.
    ledger = try Ledger.create(at: path, options: Environment.Options(sync: .onRequest))
    if folded > 0 { try append(events.prefix(folded)) }
    try ledger.fold()
    if folded < events.count { try append(events.dropFirst(folded)) }
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  private func append(_ events: some Sequence<RecordedEvent>) throws {
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  func read(_ slice: ReplaySlice) throws -> ReplayEvents {
    try ledger.read { (view) throws(LedgerError) in try view.replayEvents(slice) }
  }
}

/// A replay of part of a ledger reads exactly what decides that part.
@Suite("A slice of a ledger") struct SliceTests {
  @Test("breaks and settles what the same steps do in the whole ledger", arguments: 1...15)
  func sameFindings(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for events in [
      Histories.dense(seed: seed), RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed),
      RecordedEvent.shuffled(
        Histories.sparse(seed: seed, count: 150, accounts: 12), seed: seed),
      RecordedEvent.shuffled(Self.installs(&random), seed: seed),
    ] {
      let ledger = try SlicedLedger(events, folded: random.below(events.count + 1))
      for slice in slices(events, &random) {
        let read = try ledger.read(slice)
        let whole = events.prefix { $0.position <= read.steps.max() ?? 0 }
        // A catalogue among the steps can change the results of others, which is not tested here.
        let expected = Reported(
          Replay(Array(whole), steps: read.steps),
          about: Set(read.events.map(\.position)).subtracting(read.background))
        let reported = Reported(Replay(read))
        #expect(reported.atTheEnd == expected.atTheEnd, "seed \(seed), \(slice)")
        #expect(reported.balance == expected.balance, "seed \(seed), \(slice)")
        #expect(reported.broken == expected.broken, "seed \(seed), \(slice)")
      }
    }
  }

  /// Returns customers who install the same content, sometimes with different bytes, and published
  /// versions of it. The rules about these span all customers.
  private static func installs(_ random: inout SeededRandom) -> [RecordedEvent] {
    (1...40).map { number in
      let customer = random.below(8)
      var event = Event(
        id: Name("install-\(number)"), type: EventType(.contentInstalled),
        occurredAt: Instant(microseconds: Int64(number) * Instant.second))
      event.product = Name("map-\(random.below(2))")
      var data = EventData.Builder()
      data.set("contentVersion", "1.\(random.below(3))")
      if random.chance(1, in: 5) {
        event.type = EventType(.contentVersionPublished)
      } else {
        event.account = Name("customer-\(customer)")
        event.device = Name("phone-\(customer)")
        if random.chance(3, in: 4) { data.set("digest", "digest-\(random.below(2))") }
      }
      event.data = data.build()
      return RecordedEvent(position: UInt64(number), recordedAt: event.occurredAt, event: event)
    }
  }

  @Test("knows what was there when it began", arguments: 1...15)
  func formerState(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let events = RecordedEvent.shuffled(
      Histories.sparse(seed: seed, count: 150, accounts: 12), seed: seed)
    let ledger = try SlicedLedger(events, folded: random.below(events.count + 1))
    for slice in slices(events, &random) {
      let read = try ledger.read(slice)
      guard let last = read.steps.max() else { continue }
      let history = ReplayHistory(Replay(read))
      let found = Self.timeless(history.state(after: history.steps.count - 1))
      let whole = ReplayHistory(Replay(Array(events.prefix { $0.position <= last })))
      let all = Set(Self.timeless(whole.state(after: whole.steps.count - 1)))
      #expect(found.allSatisfy(all.contains), "seed \(seed), \(slice)")
      // The slice knows the status of each of its transactions.
      let named = Set(history.steps.compactMap(\.event.event.transaction))
      let expected = all.filter {
        $0.subject.kind == .transaction && named.contains($0.subject.name)
      }
      #expect(expected.allSatisfy(found.contains), "seed \(seed), \(slice)")
    }
  }

  /// Returns the lines that do not change with time alone, because the whole ledger may end later.
  private static func timeless(_ state: [ReplayLine]) -> [ReplayLine] {
    state.filter { $0.subject.kind != .entitlement }
  }

  @Test("reads no event of customers whom it does not touch")
  func readsNoMore() throws {
    let events = Histories.realistic(seed: 7, count: 4_000)
    let ledger = try SlicedLedger(events, folded: 3_000)
    for position in stride(from: 500, to: 3_900, by: 487) {
      var slice = ReplaySlice()
      slice.from = UInt64(position)
      slice.to = UInt64(position + 20)
      let read = try ledger.read(slice)
      #expect(read.steps.count == 21)
      #expect(read.events.count < 1_000, "\(read.events.count) events for \(position)")
      // The control: it reads more events than the steps, because they depend on earlier ones.
      #expect(read.events.count > read.steps.count)
    }
  }

  @Test("reports nothing of customers that it is judged by alone")
  func background() throws {
    func install(_ number: Int, _ account: Name, _ digest: String) -> RecordedEvent {
      var event = Event(
        id: Name("install-\(number)"), type: EventType(.contentInstalled),
        occurredAt: Instant(microseconds: Int64(number) * Instant.second), account: account)
      event.device = Name("phone of \(account.text)")
      event.product = "map"
      var data = EventData.Builder()
      data.set("contentVersion", "1.0")
      data.set("digest", digest)
      event.data = data.build()
      return RecordedEvent(
        position: UInt64(number), recordedAt: event.occurredAt, event: event)
    }
    let events = [install(1, "ada", "aa"), install(2, "ben", "bb"), install(3, "cyd", "aa")]
    let ledger = try SlicedLedger(events, folded: 2)
    var slice = ReplaySlice()
    slice.account = "ben"
    let read = try ledger.read(slice)
    #expect(read.events.map(\.position) == [1, 2])
    #expect(read.background == [1])
    let reported = Reported(Replay(read))
    #expect(reported.broken.map(\.rule) == ["digest-mismatch"])
    #expect(reported.accounts == ["ben"])
  }

  /// Returns slices by positions, by account and by transaction.
  private func slices(_ events: [RecordedEvent], _ random: inout SeededRandom) -> [ReplaySlice] {
    (0..<6).map { number in
      var slice = ReplaySlice()
      if number % 3 == 1 {
        slice.account = random.one(of: events.compactMap(\.event.account))
      } else if number % 3 == 2 {
        let transactions = events.compactMap(\.event.transaction)
        slice.transaction = transactions.isEmpty ? nil : random.one(of: transactions)
      }
      if number < 4 || (slice.account == nil && slice.transaction == nil) {
        slice.from = UInt64(1 + random.below(events.count))
        slice.to = slice.from + UInt64(random.below(20))
      }
      return slice
    }
  }
}

/// The findings of a replay, with their accounts.
private struct Reported {
  struct Verdict: Hashable {
    var step: UInt64
    var rule: String
    var position: UInt64
    var transaction: Name?
    var download: Name?
  }

  var broken: [Verdict] = []
  var settled: [Verdict] = []
  var atTheEnd: [Verdict] = []
  var accounts: Set<Name> = []

  init(_ replay: Replay, about positions: Set<UInt64>? = nil) {
    var reported = (broken: [Verdict](), settled: [Verdict](), accounts: Set<Name>())
    let outcome = replay.run { step in
      func verdict(_ finding: FindingAnswer) -> Verdict { Verdict(step.event.position, finding) }
      func isAsked(_ verdict: Verdict) -> Bool { positions?.contains(verdict.position) ?? true }
      reported.broken += step.broken.map(verdict).filter(isAsked)
      reported.settled += step.settled.map(verdict).filter(isAsked)
      reported.accounts.formUnion(step.changes.compactMap(\.subject.account))
    }
    (broken, settled, accounts) = reported
    atTheEnd = outcome.findings.map { Verdict(0, $0) }
  }

  /// The findings that were broken and not resolved.
  var balance: [Verdict: Int] {
    var counts: [Verdict: Int] = [:]
    for (verdicts, count) in [(broken, 1), (settled, -1)] {
      for var verdict in verdicts {
        verdict.step = 0
        counts[verdict, default: 0] += count
      }
    }
    return counts.filter { $0.value != 0 }
  }
}

extension Reported.Verdict {
  init(_ step: UInt64, _ finding: FindingAnswer) {
    self.init(
      step: step, rule: finding.rule.id, position: finding.position,
      transaction: finding.transaction, download: finding.download)
  }
}
