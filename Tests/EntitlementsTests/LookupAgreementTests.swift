import Entitlements
import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

/// Lookups against the whole answer, over random histories.
@Suite("A lookup agrees with the whole answer")
struct LookupAgreementTests {
  /// The names of a history that can be asked about.
  private struct Names {
    var accounts: [Name] = ["nobody"]
    var items: [AskedItem] = []

    init(_ events: [RecordedEvent]) {
      var accounts = Set<Name>()
      var names: Set<Name> = ["pro"]
      for recorded in events {
        for use in recorded.event.nameUses where use.kind == .account { accounts.insert(use.name) }
        for use in recorded.event.nameUses where use.kind == .product { names.insert(use.name) }
        if let name = recorded.event.data.string("entitlement") { names.insert(Name(name)) }
      }
      self.accounts += accounts.sorted()
      items = names.sorted().flatMap(AskedItem.both)
    }
  }

  /// Asks everybody about some items, at some moments; returns how many answers were *yes*.
  private func compare(
    _ ledger: TemporaryLedger, _ names: Names, now: Instant, _ random: inout SeededRandom,
    _ comment: String
  ) throws -> Int {
    let times = [
      nil, nil, now.advanced(by: -Int64.random(in: 0...(3 * Instant.day), using: &random)),
      now.advanced(by: Int64.random(in: 0...(40 * Instant.day), using: &random)),
    ]
    let long = LongWay(ledger: ledger.ledger, now: now)
    let lookup = Entitlements(ledger: ledger.ledger) { now }
    var yes = 0
    for account in names.accounts {
      for item in names.items where Int.random(in: 0..<3, using: &random) == 0 {
        let moment = times.randomElement(using: &random) ?? nil
        let environments = StoreEnvironment.allCases.filter { _ in
          Bool.random(using: &random)
        }
        let verdict = lookup.isEntitled(
          account.text, to: item.item, at: moment, environments: Set(environments))
        let expected = try long.verdict(account, item, at: moment, environments)
        #expect(
          verdict.expected == expected && !verdict.isUnavailable,
          "\(comment): \(account) \(item) at \(String(describing: moment)) in \(environments)")
        if verdict.isYes { yes += 1 }
      }
    }
    lookup.release()
    return yes
  }

  @Test("over dense histories, folded, from the tail, and in between", arguments: 1...12)
  func dense(seed: UInt64) throws {
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed, count: 60), seed: seed)
    let names = Names(events)
    var random = SeededRandom(seed: seed)
    let newest = events.map(\.event.occurredAt).max() ?? .noon
    let ledger = try TemporaryLedger()
    var yes = 0
    var start = 0
    while start < events.count {
      let end = min(events.count, start + Int.random(in: 1...9, using: &random))
      try ledger.append(events[start..<end])
      if Bool.random(using: &random) { try ledger.ledger.fold() }
      let now = newest.advanced(by: Int64.random(in: -Instant.day...Instant.day, using: &random))
      yes += try compare(ledger, names, now: now, &random, "seed \(seed), \(end) events")
      start = end
    }
    #expect(yes > 0, "seed \(seed) asks for nothing that anybody has")
  }

  @Test("about the moment of the next change: the same until just before it, another from then on")
  func nextChange() throws {
    var changes = 0
    for seed in 1...8 as ClosedRange<UInt64> {
      let events = Histories.dense(seed: seed, count: 80)
      let names = Names(events)
      let ledger = try TemporaryLedger()
      try ledger.append(events)
      if seed % 2 == 0 { try ledger.ledger.fold() }
      let newest = events.map(\.event.occurredAt).max() ?? .noon
      let long = LongWay(ledger: ledger.ledger, now: newest)
      let lookup = Entitlements(ledger: ledger.ledger) { newest }
      for account in names.accounts {
        for item in names.items {
          let verdict = lookup.isEntitled(account.text, to: item.item)
          guard let detail = verdict.detail, let change = detail.nextChangeAt else { continue }
          changes += 1
          let before = try long.verdict(
            account, item, at: change.advanced(by: -1), [.production])
          let after = lookup.isEntitled(account.text, to: item.item, at: change)
          #expect(before == verdict.expected)
          #expect(after.detail != detail)
          #expect(try long.verdict(account, item, at: change, [.production]) == after.expected)
        }
      }
      lookup.release()
    }
    #expect(changes > 10)
  }
}
