import LedgerEvents
import LedgerQueries
import LedgerTesting
import Testing

@Suite("A walk over events") struct EventWalkTests {
  /// Enough for the names that a walk keeps to be dropped twice.
  private static let count: UInt64 = 3_500

  private func line(_ recorded: RecordedEvent) -> String {
    var bytes: [UInt8] = []
    EventEncoder().append(recorded, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("gives each event as it was appended, however many names there were before")
  func manyNames() throws {
    let events = (1...Self.count).map { number -> RecordedEvent in
      let moment = Instant(microseconds: 1_750_000_000_000_000 + Int64(number))
      var event = Event(
        id: Name("e\(number)"), type: EventType(.transactionPurchased), occurredAt: moment)
      event.account = Name("reader-\(number)")
      event.device = Name("ipad-\(number)")
      event.transaction = Name("t\(number)")
      event.product = Name("book-\(number % 50)")
      // Names of the beginning come again when they have been dropped.
      if number % 7 == 0 { event.session = Name("s\(number % 5)") }
      return RecordedEvent(position: number, recordedAt: moment, event: event)
    }
    let ledger = try TemporaryLedger(events)
    for isReverse in [false, true] {
      var query = EventsQuery()
      query.isReverse = isReverse
      var found: [RecordedEvent] = []
      try ledger.ledger.read { (view) throws(LedgerError) in
        try view.events(query) { recorded in
          found.append(recorded)
          return true
        }
      }
      let expected = isReverse ? events.reversed() : events
      #expect(found.map(line) == expected.map(line))
    }
  }
}
