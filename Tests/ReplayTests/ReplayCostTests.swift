import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import Replay

/// What an event of a replay costs does not grow with the events before it.
@Suite("What a replay writes for an event") struct ReplayCostTests {
  @Test("stays the same where one customer's history doubles", arguments: Shape.allCases)
  func linear(shape: Shape) {
    let short = cost(shape.events(200))
    let long = cost(shape.events(400))
    // The control: each event writes something on the average.
    #expect(short.total > 100, "\(short)")
    #expect(long.most <= max(short.most, 12), "\(shape): \(short) and then \(long)")
    #expect(long.total <= short.total * 21 / 10, "\(shape): \(short) and then \(long)")
  }

  /// How many lines are written for all events, and at most for one.
  private func cost(_ events: [RecordedEvent]) -> (total: Int, most: Int) {
    let numbered = NumberedEvents(events)
    var ledger = ReplayLedger(texts: numbered)
    var state = ReplayState()
    var cost = (total: 0, most: 0)
    for index in numbered.facts.indices {
      ledger.append(numbered.facts[index...index])
      let before = state.writeCount
      _ = state.update(ledger, with: numbered.facts[index...index])
      cost.most = max(cost.most, state.writeCount - before)
    }
    cost.total = state.writeCount
    return cost
  }

  /// What one customer does again and again.
  enum Shape: CaseIterable {
    case purchases
    case consumables
    case renewals
    case downloads
    /// Of one transaction.
    case parts
    case nobodys
    case payments

    func events(_ count: Int) -> [RecordedEvent] {
      var events: [Event] = []
      if self == .consumables || self == .renewals {
        events.append(catalogue())
      }
      var number = 0
      while events.count < count {
        number += 1
        events += round(number)
      }
      return events.prefix(count).enumerated().map { index, event in
        var event = event
        event.id = Name("e\(index)")
        event.occurredAt = Instant(microseconds: Int64(index + 1) * Instant.second)
        return RecordedEvent(
          position: UInt64(index + 1), recordedAt: event.occurredAt, event: event)
      }
    }

    private func catalogue() -> Event {
      let entry =
        self == .consumables
        ? #"{"product":"map","kind":"consumable","grants":{"coins":10}}"#
        : #"{"product":"map","kind":"autoRenewable","duration":"P1D"}"#
      let line =
        #"{"id":"c","type":"catalog.set","occurredAt":"1970-01-01T00:00:01Z","#
        + #""data":{"products":["# + entry + "]}}"
      do {
        return try EventDecoder().decode(line: Array(line.utf8), number: 1).event
      } catch { preconditionFailure("\(error)") }
    }

    private func round(_ number: Int) -> [Event] {
      let transaction = Name("t\(number)")
      func event(_ kind: EventKind) -> Event {
        var event = Event(
          id: "e", type: EventType(kind), occurredAt: Instant(microseconds: 0),
          account: self == .nobodys ? nil : "ada")
        event.device = "phone"
        event.product = "map"
        event.transaction = transaction
        if self == .renewals { event.originalTransaction = "t1" }
        return event
      }
      switch self {
      case .payments:
        var added = event(.paymentAdded)
        added.transaction = nil
        added.payment = Name("p\(number)")
        var purchased = event(.transactionPurchased)
        purchased.payment = added.payment
        return [added, purchased, event(.transactionFinished)]
      case .purchases, .consumables, .nobodys, .renewals:
        return [event(.transactionPurchased), event(.transactionFinished)]
      case .downloads, .parts:
        let parts: [EventKind] =
          [.downloadRequested] + [EventKind](repeating: .downloadProgressed, count: 10)
          + [.downloadFinished, .contentInstalled]
        let kinds =
          self == .parts ? parts : [.transactionPurchased] + parts + [.transactionFinished]
        return kinds.enumerated().map { index, kind in
          var event = event(kind)
          if kind != .transactionPurchased && kind != .transactionFinished {
            event.download = self == .parts ? transaction : "content"
          }
          if self == .parts { event.transaction = "t1" }
          var data = EventData.Builder()
          if kind == .downloadProgressed { data.set("progress", number: "0.\(10 + index)") }
          if kind == .contentInstalled {
            data.set("contentVersion", "1.0")
            data.set("digest", "aa")
          }
          event.data = data.build()
          return event
        }
      }
    }
  }
}
