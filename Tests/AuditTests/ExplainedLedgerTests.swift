import Audit
import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

/// Explanations from a ledger equal explanations from its events.
@Suite("Explanations out of a ledger") struct ExplainedLedgerTests {
  private func withLedger(
    holding events: [RecordedEvent], _ body: (Ledger) throws -> Void
  ) throws {
    let path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    let ledger = try Ledger.create(at: path)
    defer {
      do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
    }
    let middle = events.count / 2
    _ = try ledger.appendAndWait(events[..<middle].map { EventInput(event: $0.event) })
    try ledger.fold()
    _ = try ledger.appendAndWait(events[middle...].map { EventInput(event: $0.event) })
    try body(ledger)
    try ledger.close()
  }

  @Test(
    "as of each position it is what a ledger says that was stopped there",
    arguments: [31, 32] as [UInt64])
  func stopped(_ seed: UInt64) throws {
    // The ledger's clock differs from the history's, so events whose clock is ahead are left out.
    let events = Histories.dense(seed: seed, count: 30)
    let newest = try #require(events.map(\.event.occurredAt).max())
    let accounts = Set(events.compactMap(\.event.account)).sorted()
    let names = Set(events.compactMap(\.event.product)).sorted()
    try withLedger(holding: events) { ledger in
      let held = try ledger.read { (view) throws(LedgerError) in
        var held: [RecordedEvent] = []
        try view.events(EventsQuery()) { recorded in
          held.append(recorded)
          return true
        }
        return held
      }
      for end in stride(from: 1, through: events.count, by: 4) {
        for account in accounts {
          for name in names {
            let reported = try ledger.read { (view) throws(LedgerError) in
              try view.explain(
                name, for: account, environments: StoreEnvironment.allCases,
                clocks: Clocks(asOf: .position(UInt64(end))), now: newest)
            }
            let known = Explanation(
              of: name, for: account, in: Array(held.prefix(end)),
              environments: StoreEnvironment.allCases, now: newest, position: UInt64(end))
            let note: Comment = "seed \(seed), \(name) for \(account) as of \(end)"
            #expect(reported.ground == known.ground, note)
            #expect(reported.at == known.at, note)
            #expect(reported.holdings == known.holdings, note)
            #expect(
              reported.steps.map(\.event.position) == known.steps.map(\.event.position), note)
          }
        }
      }
    }
  }

  @Test("it agrees with what the ledger answers", arguments: 41...44 as ClosedRange<UInt64>)
  func answers(_ seed: UInt64) throws {
    let events = Histories.dense(seed: seed, count: 60)
    let newest = try #require(events.map(\.event.occurredAt).max())
    try withLedger(holding: events) { ledger in
      for account in Set(events.compactMap(\.event.account)).sorted() {
        for name in Set(events.compactMap(\.event.product)).sorted() {
          try ledger.read { (view) throws(LedgerError) in
            let reported = try view.explain(name, for: account, now: newest)
            let answer = try view.entitlements(of: .account(account), now: newest)
            #expect(
              reported.isHeld == answer.active.contains(name), "seed \(seed), \(name), \(account)")
            #expect(reported.at == answer.at)
            #expect(reported.position == answer.position)
          }
        }
      }
    }
  }
}
