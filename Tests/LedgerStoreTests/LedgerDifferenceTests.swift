import Audit
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

@testable import LedgerStore

/// The differences match those of the answers, for every customer.
@Suite("Differences between two moments of a ledger") struct LedgerDifferenceTests {
  private struct Side: Equatable {
    var active: [Name]
    var states: [String]
    var balances: [String]
    var installed: [String]
  }

  private func side(
    _ view: LedgerView, _ account: Name, _ position: UInt64, at: Instant?, now: Instant
  ) throws(LedgerError) -> Side {
    let clocks = Clocks(at: at, asOf: .position(position))
    let answer = try view.entitlements(of: .account(account), clocks: clocks, now: now)
    return Side(
      active: answer.active,
      states: answer.entries.map {
        "\($0.product ?? $0.entitlement ?? "") \($0.state) \($0.since) \($0.expiresAt as Any)"
          + " \($0.transactions) \($0.originalTransaction as Any) \($0.entitlements)"
          + " \($0.source) \($0.isFamilyShared as Any)"
      },
      balances: answer.balances.map { "\($0.unit) \($0.amount)" },
      installed: try view.installed(of: .account(account), clocks: clocks).map {
        "\(String(describing: $0.device)) \($0.product) \($0.contentVersion)"
      })
  }

  @Test("they name those for whom the answers differ", arguments: 1...6 as ClosedRange<UInt64>)
  func answers(_ seed: UInt64) throws {
    let walk = try LedgerWalk()
    let events = Histories.dense(seed: seed, count: 80)
    try walk.append(events[..<50])
    try walk.ledger().fold()
    try walk.append(events[50...])
    let accounts = Set(events.compactMap(\.event.account)).sorted()
    let newest = try #require(events.map(\.event.occurredAt).max())
    var random = SeededRandom(seed: seed)
    var reported = 0
    for round in 0..<8 {
      let first = UInt64(random.below(70))
      let last = first + UInt64(random.below(80 - Int(first)) + 1)
      let at = round % 2 == 0 ? nil : random.one(of: events).event.occurredAt
      try walk.ledger().read { (view) throws(LedgerError) in
        var different: [Name: CustomerDifference] = [:]
        try view.differences(from: .position(first), to: .position(last), at: at) { found in
          different[found.account] = found
          return true
        }
        // The ledger's clock of each side. For an empty ledger, it is the beginning of time.
        let moments = try [first, last].map { (position) throws(LedgerError) in
          position == 0
            ? Instant(microseconds: .min) : try view.event(at: position).recordedAt
        }
        for account in accounts {
          let before = try side(view, account, first, at: at, now: moments[0])
          let after = try side(view, account, last, at: at, now: moments[1])
          var alone: CustomerDifference?
          try view.differences(
            from: .position(first), to: .position(last), account: account, at: at
          ) { found in
            alone = found
            return true
          }
          let note: Comment = "seed \(seed), \(account) from \(first) to \(last), round \(round)"
          #expect((before != after) == (alone != nil), note)
          if before.active != after.active {
            #expect(
              alone?.answer?.gained == after.active.filter { !before.active.contains($0) }, note)
          }
          if let found = different[account] {
            reported += 1
            #expect(found.installed == alone?.installed, note)
            #expect(found.answer?.gained == alone?.answer?.gained, note)
          }
        }
      }
    }
    #expect(reported > 0, "seed \(seed), newest \(newest)")
  }

  @Test("nothing lies between a moment and itself") func same() throws {
    let walk = try LedgerWalk()
    try walk.append(Histories.dense(seed: 9, count: 40))
    try walk.ledger().read { (view) throws(LedgerError) in
      for position in 0...40 as ClosedRange<UInt64> {
        var count = 0
        try view.differences(from: .position(position), to: .position(position)) { _ in
          count += 1
          return true
        }
        #expect(count == 0, "position \(position)")
      }
    }
  }
}
