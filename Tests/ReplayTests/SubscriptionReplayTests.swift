import LedgerEvents
import LedgerHistories
import Testing

@testable import Replay

/// A replay keeps the periods of a subscription in order and brings them up to date event by event.
@Suite("A replay of one long subscription") struct SubscriptionReplayTests {
  /// Which of the events are steps. The others are folded together before the next step.
  enum Steps: CaseIterable {
    case all
    case half
    /// A few, many together, and the rest.
    case ends

    func positions(_ events: [RecordedEvent], _ seed: UInt64) -> Set<UInt64>? {
      var random = SeededRandom(seed: seed)
      return switch self {
      case .all: nil
      case .half: Set(events.map(\.position).filter { _ in random.chance(1, in: 2) })
      case .ends: Set(events.map(\.position).filter { $0 < 20 || $0 > 190 })
      }
    }
  }

  @Test(
    "tells what a fold of everything at each event tells", arguments: 1...24, Steps.allCases)
  func whole(seed: UInt64, steps: Steps) {
    let events = Self.events(seed, catalogue: seed % 3 == 0 ? 40 : seed % 3 == 1 ? 0 : nil)
    let positions = steps.positions(events, seed)
    let expected = WholeReplay(events, steps: positions).run()
    var reported: [ReplayStep] = []
    _ = Replay(events, steps: positions).run { reported.append($0) }
    #expect(reported.count == expected.count)
    for (step, whole) in zip(reported, expected) {
      let note = "seed \(seed), position \(step.event.position), \(step.event.event.type.text)"
      #expect(step.changes == whole.changes, "\(note)")
      #expect(step.earlierChanges == whole.earlierChanges, "\(note)")
    }
    // The control: the subscription changes many times.
    #expect(expected.count { !$0.changes.isEmpty } > (steps == .ends ? 10 : 30))
  }

  /// What can happen to the transactions of one subscription, in the order of time: most of it
  /// renewals, some of which have the same times, seldom what only names the original, and between
  /// them what is about somebody else.
  ///
  /// - Parameter catalogue: The number of the event that says how long a period is without an end;
  ///   nil for none.
  private static func events(_ seed: UInt64, catalogue: Int?) -> [RecordedEvent] {
    var random = SeededRandom(seed: seed)
    var latest = 1
    return (0..<220).map { index in
      let day = index / 2
      let event =
        if index == catalogue {
          Self.catalogue(at: day)
        } else if random.chance(1, in: 3) {
          Self.elsewhere(index, at: day)
        } else {
          Self.event(
            index, &latest, at: day, namesOriginals: seed % 4 == 0,
            restored: seed % 5 == 0 ? 12 : 0, &random)
        }
      return RecordedEvent(
        position: UInt64(index + 1), recordedAt: event.occurredAt, event: event)
    }
  }

  private static func event(
    _ index: Int, _ latest: inout Int, at day: Int, namesOriginals: Bool, restored: Int,
    _ random: inout SeededRandom
  ) -> Event {
    let kinds: [EventKind] =
      [EventKind](repeating: .subscriptionRenewed, count: 8) + [
        .transactionPurchased, .transactionRestored, .transactionRefunded,
        .transactionRefundReversed, .transactionRevoked, .subscriptionExpired,
        .subscriptionBillingFailed, .subscriptionGracePeriodEntered,
        .subscriptionBillingRecovered, .subscriptionRenewalExtended,
      ]
    // Some begin with restores, of which no end is known.
    let kind = index < restored ? .transactionRestored : kinds[random.below(kinds.count)]
    var transaction = max(1, latest - random.below(3))
    var data = EventData.Builder()
    switch kind {
    case .subscriptionRenewed, .transactionPurchased:
      if !random.chance(1, in: 6) {
        latest += 1
        transaction = latest
      }
      // Some begin later, some together.
      data.set("purchasedAt", moment(day + random.below(3)))
      if !random.chance(1, in: 4) { data.set("expiresAt", moment(day + 1 + random.below(4))) }
      if random.chance(1, in: 8) { data.set("isUpgraded", true) }
    case .transactionRestored where random.chance(1, in: 2):
      latest += 1
      transaction = latest
    case .subscriptionExpired, .subscriptionRenewalExtended:
      if random.chance(1, in: 2) { data.set("expiresAt", moment(day + random.below(3))) }
    case .subscriptionGracePeriodEntered:
      data.set("gracePeriodExpiresAt", moment(day + 1 + random.below(3)))
    default: break
    }
    var event = Event(
      id: Name("e\(index)"), type: EventType(kind), occurredAt: moment(day), account: "ada")
    let isServers = event.type.text.hasPrefix("subscription.")
    event.source = EventSource(isServers ? .notification : .storekit2)
    event.product = "plan"
    event.originalTransaction = "t1"
    let isBare = namesOriginals && isServers && kind != .subscriptionRenewed
    if !isBare || random.chance(2, in: 3) { event.transaction = Name("t\(transaction)") }
    event.data = data.build()
    return event
  }

  /// An event of somebody else: time goes on, and nothing is said of the subscription.
  private static func elsewhere(_ index: Int, at day: Int) -> Event {
    var event = Event(
      id: Name("e\(index)"), type: EventType(.transactionPurchased), occurredAt: moment(day),
      account: "eve")
    event.product = "map"
    event.transaction = Name("other\(index)")
    return event
  }

  private static func catalogue(at day: Int) -> Event {
    var event = Event(id: "c", type: EventType(.catalogSet), occurredAt: moment(day), account: nil)
    var data = EventData.Builder()
    let products = #"[{"product":"plan","kind":"autoRenewable","duration":"P2D"}]"#
    data.set("products", json: Array(products.utf8))
    event.data = data.build()
    return event
  }

  private static func moment(_ day: Int) -> Instant {
    Instant(microseconds: Int64(1_767_225_600 + day * 86_400) * Instant.second)
  }
}
