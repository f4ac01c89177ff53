import Audit
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Replay
import Testing

/// A replay of a bundle on another machine shows the same as a replay of the ledger.
@Suite("A replay of a bundle") struct BundleReplayTests {
  private func compare(
    _ ledger: BundledLedger, _ account: Name, _ slice: ReplaySlice, _ note: Comment
  ) throws -> ReplayOutcome? {
    let whole = try ledger.events(of: account, in: slice)
    guard !whole.steps.isEmpty else { return nil }
    let bundle = try IncidentBundle.read(try ledger.bundle(of: account, in: slice))
    let masked = bundle.events
    #expect(masked.steps == whole.steps, note)
    #expect(masked.background == whole.background, note)
    let names = Pseudonyms(whole.events, masked.events)
    #expect(bundle.account == nil || bundle.account == names.account(account), note)
    if slice.to == .max { #expect(bundle.account != nil, note) }
    let (reported, expected) = (ReplayHistory(Replay(masked)), ReplayHistory(Replay(whole)))
    #expect(reported.steps.count == expected.steps.count, note)
    for (found, step) in zip(reported.steps, expected.steps) {
      let comment: Comment = "\(note.rawValue), position \(step.event.position)"
      #expect(found.event.position == step.event.position, comment)
      #expect(found.event.recordedAt == step.event.recordedAt, comment)
      #expect(
        Set(found.changes.map { "\($0)" }) == Set(step.changes.map(names.text)), comment)
      #expect(
        Set(found.earlierChanges.map { "\($0)" }) == Set(step.earlierChanges.map(names.text)),
        comment)
      #expect(
        found.broken.map { "\($0)" }.sorted() == step.broken.map(names.text).sorted(), comment)
      #expect(
        found.settled.map { "\($0)" }.sorted() == step.settled.map(names.text).sorted(), comment)
    }
    let (outcome, wanted) = (reported.outcome, expected.outcome)
    #expect(
      outcome.findings.map { "\($0)" }.sorted() == wanted.findings.map(names.text).sorted(), note)
    #expect(
      outcome.findingsAtTheEnd.map { "\($0)" }.sorted()
        == wanted.findingsAtTheEnd.map(names.text).sorted(), note)
    return outcome
  }

  @Test(
    "breaks the same rules at the same positions and gives the same answers",
    arguments: 1...25 as ClosedRange<UInt64>)
  func same(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var found = 0
    let dense = Histories.dense(seed: seed)
    for events in [
      seed % 2 == 1 ? RecordedEvent.shuffled(dense, seed: seed) : dense,
      RecordedEvent.shuffled(
        Histories.sparse(seed: seed, count: 150, accounts: 12), seed: seed),
    ] {
      let ledger = try BundledLedger(events, folded: random.below(events.count + 1))
      for account in Set(events.compactMap(\.event.account)).sorted().prefix(2) {
        var slice = ReplaySlice()
        if random.chance(1, in: 3) { slice.from = UInt64(1 + random.below(events.count)) }
        if random.chance(1, in: 3) { slice.to = slice.from + UInt64(random.below(events.count)) }
        let outcome = try compare(ledger, account, slice, "seed \(seed), \(account)")
        found += (outcome?.findings.count ?? 0) + (outcome?.findingsAtTheEnd.count ?? 0)
      }
    }
    #expect(found > 0)
  }

  @Test("of customers as they are does, too", arguments: [5, 6] as [UInt64])
  func realistic(seed: UInt64) throws {
    let events = Histories.realistic(seed: seed, count: 1_500)
    let ledger = try BundledLedger(events, folded: 1_000)
    let accounts = Set(events.compactMap(\.event.account)).sorted()
    for account in [accounts.first, accounts.last].compactMap({ $0 }) {
      _ = try compare(ledger, account, ReplaySlice(), "seed \(seed), \(account)")
    }
  }

  @Test("tells two paths apart, and knows one again") func paths() throws {
    func install(_ number: Int, _ path: String, _ digest: String) -> RecordedEvent {
      var event = Event(
        id: Name("install-\(number)"), type: EventType(.contentInstalled),
        occurredAt: Instant(microseconds: Int64(number) * Instant.second), account: "ada",
        device: "phone", product: "map")
      var data = EventData.Builder()
      data.set("contentVersion", "1.0")
      data.set("path", path)
      data.set("digest", digest)
      event.data = data.build()
      return RecordedEvent(position: UInt64(number), recordedAt: event.occurredAt, event: event)
    }
    for (path, count) in [("/maps/a", 1), ("/maps/b", 0)] {
      let ledger = try BundledLedger([install(1, "/maps/a", "aa"), install(2, path, "bb")])
      let outcome = try compare(ledger, "ada", ReplaySlice(), "\(path)")
      #expect(outcome?.findings.filter { $0.rule == .digestMismatch }.count == count)
    }
  }
}
