import Entitlements
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerStore
import Testing

/// Compares lookups with complete answers, over random histories.
@Suite("A lookup agrees with the whole answer")
struct LookupAgreementTests {
  /// The names in a history to ask about.
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

  /// Asks about some items of every account at some moments. Returns how many answers were *yes*.
  private func compare(
    _ ledger: TemporaryLedger, _ names: Names, now: Instant, _ random: inout SeededRandom,
    _ comment: String
  ) throws -> Int {
    let day = Int(Instant.day)
    let times: [Instant?] = [
      nil, nil, now.advanced(by: Int64(-random.below(3 * day))),
      now.advanced(by: Int64(random.below(40 * day))),
    ]
    let long = LongWay(ledger: ledger.ledger, now: now)
    let lookup = Entitlements(ledger: ledger.ledger) { now }
    // The first question makes the reader that finds answers stored.
    _ = lookup.isEntitled("nobody", to: .product("pro"))
    var yes = 0
    for account in names.accounts {
      for item in names.items where random.chance(1, in: 3) {
        let moment = random.one(of: times)
        let environments = StoreEnvironment.allCases.filter { _ in random.chance(1, in: 2) }
        let verdict = lookup.isEntitled(
          account.text, to: item.item, at: moment, environments: Set(environments))
        let expected = try long.verdict(account, item, at: moment, environments)
        #expect(
          verdict.expected == expected && !verdict.isUnavailable,
          "\(comment): \(account) \(item) at \(String(describing: moment)) in \(environments)")
        if moment == nil,
          let stored = lookup.storedVerdict(
            account.text, to: item.item, environments: Set(environments))
        {
          #expect(stored == verdict, "\(comment): \(account) \(item) stored in \(environments)")
        }
        if verdict.isYes { yes += 1 }
      }
    }
    lookup.release()
    return yes
  }

  @Test(
    "after erasures and returns, folded and from the tail",
    arguments: 1...6 as ClosedRange<UInt64>)
  func erasures(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 0xE4A5E)
    let events = Histories.dense(seed: seed, count: 90).filter {
      $0.event.type.kind != .accountErased
    }
    let names = Names(events)
    let now = events.map(\.event.occurredAt).max() ?? .noon
    let ledger = try TemporaryLedger(now: now)
    for part in 0..<3 {
      let third = events.count / 3
      try ledger.append(events[part * third..<(part + 1) * third])
      if random.chance(1, in: 2) { try ledger.ledger.fold() }
      let account = random.one(of: names.accounts)
      var erasure = Event(
        id: Name("erasure-\(part)"), type: EventType(.accountErased), occurredAt: now)
      erasure.account = account
      do throws(LedgerError) { try ledger.ledger.erase(erasure) } catch {
        #expect(error.code == .notFound)
        continue
      }
      for fold in [false, true] {
        if fold { try ledger.ledger.fold() }
        for item in names.items {
          let verdict = ledger.lookup.isEntitled(account.text, to: item.item)
          #expect(verdict == .unknownAccount(position: try ledger.ledger.log.lastPosition()))
        }
        _ = try compare(ledger, names, now: now, &random, "seed \(seed), part \(part)")
      }
      // An account that is named again after its erasure starts afresh.
      if random.chance(1, in: 2) {
        var bought = Event.bought(Name("again-\(part)"), account, at: 0)
        bought.occurredAt = now.advanced(by: Int64(part + 1) * Instant.hour)
        try ledger.append(bought)
        if random.chance(1, in: 2) { try ledger.ledger.fold() }
        #expect(
          ledger.lookup.isEntitled(account.text, to: .product("map"), at: bought.occurredAt).isYes)
      }
      _ = try compare(ledger, names, now: now, &random, "seed \(seed), after part \(part)")
    }
    try ledger.ledger.fold()
    #expect(try ledger.ledger.checkProjections() == [])
    #expect(try ledger.ledger.log.verify().faults == [])
  }

  @Test("over random histories, folded, from the tail, and in between")
  func random() throws {
    var yes = 0
    for seed in 1...6 as ClosedRange<UInt64> {
      let inOrder =
        seed % 2 == 0 ? Histories.dense(seed: seed, count: 60) : recorded(futures(seed: seed))
      let events = RecordedEvent.shuffled(inOrder, seed: seed)
      let names = Names(events)
      var random = SeededRandom(seed: seed)
      let newest = events.map(\.event.occurredAt).max() ?? .noon
      let ledger = try TemporaryLedger()
      var start = 0
      while start < events.count {
        let end = min(events.count, start + 1 + random.below(9))
        try ledger.append(events[start..<end])
        if random.chance(1, in: 2) { try ledger.ledger.fold() }
        let now =
          seed % 2 == 0
          ? newest.advanced(by: Int64(random.below(2 * Int(Instant.day))) - Instant.day)
          : .noon(Int64(random.below(4000)))
        yes += try compare(ledger, names, now: now, &random, "seed \(seed), \(end) events")
        start = end
      }
    }
    #expect(yes > 20, "hardly anybody has anything that is asked for")
  }

  /// Returns subscriptions, grants and catalogues of a few customers, many of which end in the
  /// future.
  private func futures(seed: UInt64) -> [Event] {
    var random = SeededRandom(seed: seed)
    var events: [Event] = []
    for number in 0..<40 {
      let account = Name("customer-\(random.below(8))")
      let start = Int64(random.below(1000))
      let end = start + 2000 + Int64(random.below(9000))
      let id = Name("e\(number)")
      let environment = random.one(of: [nil, .production, .sandbox] as [StoreEnvironment?])
      let product = random.one(of: ["monthly", "yearly"] as [Name])
      switch random.below(4) {
      case 0: events.append(.granted(id, account, "pro", at: start, until: end))
      case 1:
        let opens = random.one(of: [["pro"], ["pro", "beta"], []])
        events.append(.catalog(id, product.text, "autoRenewable", opens: opens, at: end))
      default:
        events.append(
          .subscribed(
            id, account, product: product, at: start, until: end, environment: environment))
      }
    }
    return events
  }

  private func recorded(_ events: [Event]) -> [RecordedEvent] {
    events.map { RecordedEvent(position: 1, recordedAt: $0.occurredAt, event: $0) }
  }

  @Test("about the moment of the next change: the same until just before it, another from then on")
  func nextChange() throws {
    let now = Instant.noon(1500)
    let everywhere = StoreEnvironment.allCases
    var changes = 0
    for seed in 1...2 as ClosedRange<UInt64> {
      let ledger = try TemporaryLedger(now: now)
      try ledger.append(recorded(futures(seed: seed)))
      if seed % 2 == 0 { try ledger.ledger.fold() }
      for number in 0..<8 {
        for item in (["pro", "beta", "monthly", "yearly"] as [Name]).flatMap(AskedItem.both) {
          for environments in [[.production], everywhere] {
            changes += try followChanges(
              ledger, Name("customer-\(number)"), item, environments, now)
          }
        }
      }
    }
    #expect(changes > 50)
  }

  /// Goes from change to change and checks both sides of each. Returns the number of changes.
  private func followChanges(
    _ ledger: TemporaryLedger, _ account: Name, _ item: AskedItem,
    _ environments: [StoreEnvironment], _ now: Instant
  ) throws -> Int {
    var now = now
    var changes = 0
    while true {
      let present = now
      let lookup = Entitlements(ledger: ledger.ledger, environments: Set(environments)) { present }
      defer { lookup.release() }
      let verdict = lookup.isEntitled(account.text, to: item.item)
      let change = verdict.detail?.nextChangeAt
      #expect(
        try LongWay(ledger: ledger.ledger, now: present)
          .verdict(account, item, at: nil, environments) == verdict.expected)
      let last = change?.advanced(by: -1) ?? present.advanced(by: 400 * Instant.day)
      #expect(
        try LongWay(ledger: ledger.ledger, now: last)
          .verdict(account, item, at: nil, environments) == verdict.expected,
        "\(account) \(item) changes before \(String(describing: change))")
      guard let change else { return changes }
      let after = Entitlements(ledger: ledger.ledger, environments: Set(environments)) { change }
      var same = try #require(verdict.detail)
      same.nextChangeAt = nil
      var other = after.isEntitled(account.text, to: item.item).detail
      other?.nextChangeAt = nil
      #expect(other != same, "\(account) \(item) does not change at \(change)")
      after.release()
      changes += 1
      now = change
    }
  }
}
