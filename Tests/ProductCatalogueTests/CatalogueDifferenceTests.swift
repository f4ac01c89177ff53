import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerTesting
import ProductCatalogue
import Testing

/// The answers about one account, as a text for each entry and balance.
private struct AccountAnswer: Hashable {
  var entries: [String: String] = [:]
  var active: [Name] = []
  var balances: [Name: Int64] = [:]

  init() {}

  init(_ answer: EntitlementsAnswer) {
    for entry in answer.entries { entries[Self.key(entry)] = Self.text(entry) }
    active = answer.active
    for balance in answer.balances { balances[balance.unit] = balance.amount }
  }

  static func key(_ entry: EntitlementsAnswer.Entry) -> String {
    "\(entry.product?.text ?? "-")|\(entry.entitlement?.text ?? "-")"
  }

  static func text(_ entry: EntitlementsAnswer.Entry?) -> String {
    guard let entry else { return "none" }
    return
      "\(entry.state) \(entry.entitlements) \(entry.since) \(String(describing: entry.expiresAt))"
      + " \(String(describing: entry.originalTransaction)) \(entry.transactions)"
  }
}

/// Returns the differences between two answers about an account, as texts.
private func difference(_ before: AccountAnswer, _ after: AccountAnswer) -> Set<String> {
  var found: Set<String> = []
  for key in Set(before.entries.keys).union(after.entries.keys) {
    let texts = [before, after].map { $0.entries[key] ?? "none" }
    if texts[0] != texts[1] { found.insert("\(key): \(texts[0]) > \(texts[1])") }
  }
  for name in after.active where !before.active.contains(name) { found.insert("gains \(name)") }
  for name in before.active where !after.active.contains(name) { found.insert("loses \(name)") }
  for unit in Set(before.balances.keys).union(after.balances.keys) {
    let amounts = [before, after].map { $0.balances[unit] ?? 0 }
    if amounts[0] != amounts[1] { found.insert("\(unit): \(amounts[0]) > \(amounts[1])") }
  }
  return found
}

extension AnswerDifference {
  fileprivate var texts: Set<String> {
    var found: Set<String> = []
    for entry in entries {
      let known = entry.before ?? entry.after
      let key = known.map(AccountAnswer.key) ?? "-"
      found.insert(
        "\(key): \(AccountAnswer.text(entry.before)) > \(AccountAnswer.text(entry.after))")
    }
    for name in gained { found.insert("gains \(name)") }
    for name in lost { found.insert("loses \(name)") }
    for balance in balances {
      found.insert("\(balance.unit): \(balance.before) > \(balance.after)")
    }
    return found
  }
}

/// A history, and a catalogue that an operator might set.
private struct Proposal {
  let ledger: TemporaryLedger
  let accounts: Set<Name>
  let environments: Set<StoreEnvironment>
  let event: Event
  let now = Instant(microseconds: 1_900_000_000 * Instant.second)

  init(seed: UInt64) throws {
    let events = Histories.dense(seed: seed)
    ledger = try TemporaryLedger(events)
    accounts = Set(events.compactMap(\.event.account))
      .union(events.compactMap { $0.event.data.name("to") })
    environments = Set(events.compactMap(\.event.environment)).union([.production])
    var random = SeededRandom(seed: seed ^ 0xCA7A)
    let products = Set(events.compactMap(\.event.product)).sorted() + ["never-heard-of"]
    var entries: [String] = []
    for product in products where random.below(3) > 0 {
      let kind = random.one(of: ["consumable", "nonConsumable", "autoRenewable", "nonRenewing"])
      var members = [#""product":"\#(product)""#, #""kind":"\#(kind)""#]
      if random.below(2) == 0 { members.append(#""entitlements":["pro","plus"]"#) }
      if random.below(2) == 0 { members.append(#""grants":{"coins":\#(random.below(9))}"#) }
      if random.below(3) == 0 { members.append(#""duration":"P\#(1 + random.below(40))D""#) }
      entries.append("{" + members.joined(separator: ",") + "}")
    }
    let times = events.map(\.event.occurredAt).sorted()
    let time = random.one(of: [times[0], random.one(of: times), now])
    event = Event(
      id: "proposed", type: EventType(.catalogSet), occurredAt: time,
      environment: random.below(3) == 0 ? random.one(of: Array(environments).sorted()) : nil,
      app: random.below(4) == 0 ? events.compactMap(\.event.app).first : nil,
      data: {
        var data = EventData.Builder()
        data.set("products", json: Array("[\(entries.joined(separator: ","))]".utf8))
        return data.build()
      }())
  }

  func answers() throws -> [StoreEnvironment: [Name: AccountAnswer]] {
    try ledger.ledger.read { (view) throws(LedgerError) in
      var answers: [StoreEnvironment: [Name: AccountAnswer]] = [:]
      for environment in environments {
        for account in accounts {
          answers[environment, default: [:]][account] = AccountAnswer(
            try view.entitlements(of: .account(account), environments: [environment], now: now))
        }
      }
      return answers
    }
  }

  func predicted() throws -> [AnswerDifference] {
    try ledger.ledger.read { (view) throws(LedgerError) in
      var found: [AnswerDifference] = []
      try view.differences(proposing: event, now: now) { difference in
        found.append(difference)
        return true
      }
      return found
    }
  }
}

@Suite("What a catalogue would change") struct CatalogueDifferenceTests {
  @Test("is what it changes once it is set", arguments: 0..<60)
  func property(_ seed: Int) throws {
    let proposal = try Proposal(seed: UInt64(seed) + 9_000)
    // Half of the histories are in the projections, the others in the tail.
    if seed % 2 == 0 { try proposal.ledger.ledger.fold() }
    let before = try proposal.answers()
    let predicted = try proposal.predicted()
    try proposal.ledger.append([
      RecordedEvent(position: 1, recordedAt: proposal.now, event: proposal.event)
    ])
    let after = try proposal.answers()
    var actual: [StoreEnvironment: [Name: Set<String>]] = [:]
    for environment in proposal.environments {
      for account in proposal.accounts {
        let found = difference(
          before[environment]?[account] ?? AccountAnswer(),
          after[environment]?[account] ?? AccountAnswer())
        if !found.isEmpty { actual[environment, default: [:]][account] = found }
      }
    }
    for found in predicted {
      #expect(actual[found.environment]?[found.account] == found.texts, "seed \(seed)")
    }
    // Only one of several linked ids is reported.
    for (environment, accounts) in actual {
      for (account, texts) in accounts {
        #expect(
          predicted.contains { $0.environment == environment && $0.texts == texts },
          "seed \(seed): nothing said of \(account) in \(environment)")
      }
    }
  }

  @Test("is seen in enough of these histories") func isNotVain() throws {
    let changed = try (0..<60).count { seed in
      try !Proposal(seed: UInt64(seed) + 9_000).predicted().isEmpty
    }
    #expect(changed >= 15)
  }

  @Test("counts who has bought each product") func buyers() throws {
    let ledger = try TemporaryLedger([
      .catalogue(1, #"{"product":"coins","kind":"consumable","grants":{"coins":5}}"#),
      .purchase(2, "coins", of: "anna", quantity: 2), .purchase(3, "coins", of: "ben"),
    ])
    let event = try RecordedEvent.catalogue(
      0,
      #"{"product":"coins","kind":"consumable","grants":{"coins":1}},"#
        + #"{"product":"new","kind":"consumable"}"#, id: "less"
    ).event
    var found: [String] = []
    let effect = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.differences(proposing: event, now: .march(9)) { difference in
        for balance in difference.balances {
          found.append("\(difference.account) \(balance.before) > \(balance.after)")
        }
        return true
      }
    }
    // The entry in force at the purchases is the later one, so an entry set before it changes
    // nothing.
    #expect(found.isEmpty)
    #expect(effect.buyers == ["coins": 2, "new": 0])
    #expect(effect.compared == 2 && effect.changed == 0)
  }

  @Test("stops where it is told to") func stops() throws {
    let ledger = try TemporaryLedger([
      .purchase(2, "coins", of: "anna"), .purchase(3, "coins", of: "ben"),
    ])
    let event = try RecordedEvent.catalogue(
      1, #"{"product":"coins","kind":"consumable","grants":{"coins":1}}"#
    ).event
    var count = 0
    _ = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.differences(proposing: event, now: .march(9)) { _ in
        count += 1
        return false
      }
    }
    #expect(count == 1)
  }
}
