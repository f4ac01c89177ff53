import LedgerEvents
import LedgerOracle
import Testing

@testable import StoreImport

/// A ledger as far as imports need one: ids are unique, a transaction belongs to the first account
/// that an event of it states, and the independent model answers everything.
struct ImportingLedger {
  private(set) var log = IdempotentLog()
  /// When the store stated an event, by its id.
  private var saidAt: [Name: Instant] = [:]
  var linked: [Name: Set<Name>] = [:]

  var events: [Event] {
    log.events.values.sorted {
      ($0.occurredAt, $0.sequence ?? 0, $0.id) < ($1.occurredAt, $1.sequence ?? 0, $1.id)
    }
  }

  /// Appends events that do not come from an import.
  mutating func append(_ events: [Event]) throws {
    _ = try log.append(events)
    for event in events { saidAt[event.id] = event.occurredAt }
  }

  /// Imports an answer and returns how many events were new.
  @discardableResult
  mutating func add(
    _ text: String, account: Name? = nil, isAccountOverToken: Bool = false,
    recordsClaims: Bool = false
  ) throws -> Int {
    let outcome = try outcome(
      text, account: account, isAccountOverToken: isAccountOverToken, known: known,
      recordsClaims: recordsClaims)
    let time = try #require(outcome.events.first).occurredAt
    for event in outcome.events where saidAt[event.id] == nil {
      saidAt[event.id] = max(time, event.occurredAt)
    }
    return try log.append(outcome.events)
  }

  /// Appends the events of an import.
  mutating func append(_ events: [Event], saidAt: (Event) -> Instant) throws -> Int {
    for event in events where self.saidAt[event.id] == nil { self.saidAt[event.id] = saidAt(event) }
    return try log.append(events)
  }

  var known: KnownPurchases {
    var transactions: [KnownPurchases.Transaction] = []
    var renewals: [Name: [KnownPurchases.RenewalState]] = [:]
    for event in events {
      guard let original = event.originalTransaction ?? event.transaction else { continue }
      if event.type.text.hasPrefix("subscription.") {
        renewals[original, default: []].append(
          KnownPurchases.RenewalState(event: event, saidAt: saidAt[event.id] ?? event.occurredAt))
      }
      guard let name = event.transaction else { continue }
      let index = transactions.firstIndex { $0.transaction == name }
      if let index {
        transactions[index].statedAccount = transactions[index].statedAccount ?? event.account
      } else {
        transactions.append(
          KnownPurchases.Transaction(
            transaction: name, original: original, statedAccount: event.account))
      }
    }
    for index in transactions.indices {
      let stated =
        transactions[index].statedAccount
        ?? transactions.first {
          $0.original == transactions[index].original && $0.statedAccount != nil
        }?.statedAccount
      transactions[index].holder = stated.map { .customer([$0]) }
    }
    let upgraded = events.filter { $0.data.boolean("isUpgraded") == true }.compactMap(\.transaction)
    let facts = events.filter {
      KnownPurchases.factKinds.contains($0.type.kind) && $0.source != EventSource(.operator)
    }
    var known = KnownPurchases(
      transactions: transactions, renewals: renewals, upgraded: Set(upgraded), linked: linked,
      facts: Dictionary(grouping: facts) { $0.transaction ?? "" }, recorded: log.events)
    for event in events where event.account != nil {
      guard let original = event.originalTransaction ?? event.transaction else { continue }
      let since = known.statedSince[original] ?? event.occurredAt
      known.statedSince[original] = min(since, event.occurredAt)
    }
    return known
  }

  /// Returns the model's answer, whatever the order of arrival.
  func answer(
    _ environment: StoreEnvironment = .production, at moment: String? = nil,
    with more: [Event] = [], shuffledBy random: inout some RandomNumberGenerator
  ) throws -> Oracle.Answer {
    var recorded: [RecordedEvent] = []
    for event in (events + more).shuffled(using: &random) {
      recorded.append(
        RecordedEvent(
          position: UInt64(recorded.count + 1), recordedAt: at("2030-01-01T00:00:00Z"),
          event: event))
    }
    return try #require(Oracle(recorded).answers(at: moment.map { at($0) })[environment])
  }
}

/// SplitMix64: the same seed gives the same test.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension Array {
  /// The elements in every order.
  var everyOrder: [[Element]] {
    guard count > 1 else { return [self] }
    return indices.flatMap { first in
      var others = self
      let element = others.remove(at: first)
      return others.everyOrder.map { [element] + $0 }
    }
  }
}
