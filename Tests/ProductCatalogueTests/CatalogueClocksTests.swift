import LedgerEvents
import LedgerHistories
import LedgerQueries
import LedgerTesting
import ProductCatalogue
import Testing

/// Returns all answers about the catalogue, as one text.
private func statement(
  _ ledger: TemporaryLedger, _ clocks: Clocks, products: Set<Name>, now: Instant
) throws -> String {
  try ledger.ledger.read { (view) throws(LedgerError) in
    var texts: [String] = []
    for environment in StoreEnvironment.allCases.prefix(2) {
      var query = CatalogueQuery(environment: environment, clocks: clocks, now: now)
      for product in try view.catalogueListing(query) { texts.append("\(product)") }
      let invalid = try view.invalidIdentifiers(query)
      texts.append("\(invalid)")
      for product in products.sorted() {
        query.product = product
        for change in try view.priceHistory(query) { texts.append("\(change)") }
      }
    }
    return texts.joined(separator: "\n")
  }
}

/// Returns a catalogue that changes, and responses to devices, some of which arrive late.
private func smallHistory() throws -> [RecordedEvent] {
  func reported(_ hour: Int, _ device: String, _ price: String, version: String) throws
    -> RecordedEvent
  {
    try .response(
      hour, device,
      #"{"product":"map","price":"\#(price)","currency":"USD","priceLocale":"en_US","#
        + #""storefront":"USA","contentVersion":"\#(version)"}"#, invalid: #"["mpa"]"#)
  }
  return try RecordedEvent.renumbered([
    .catalogue(1, #"{"product":"map","kind":"nonConsumable"}"#),
    reported(2, "a", "1.00", version: "1.0"), reported(6, "b", "2.00", version: "1.2"),
    .catalogue(5, #"{"product":"map","kind":"nonConsumable","title":"Map"}"#),
    .catalogue(8, #"{"product":"pro","kind":"consumable","grants":{"coins":5}}"#),
    reported(4, "c", "1.50", version: "1.1"), .purchase(7, "map", of: "anna"),
    .response(9, "a", "", invalid: #"["map","pro"]"#),
  ])
}

@Suite("The catalogue's clocks") struct CatalogueClocksTests {
  @Test("as of every position a ledger answers as one that stopped there") func asOf() throws {
    let events = try smallHistory()
    let ledger = try TemporaryLedger(events)
    for position in 0...events.count {
      let stopped = try TemporaryLedger(Array(events.prefix(position)))
      #expect(
        try statement(
          ledger, Clocks(asOf: .position(UInt64(position))), products: ["map", "pro"],
          now: .march(100))
          == statement(stopped, .now, products: ["map", "pro"], now: .march(100)),
        "as of \(position)")
    }
  }

  @Test("at every hour a ledger answers as one that has heard of nothing later") func at() throws {
    let events = try smallHistory()
    let ledger = try TemporaryLedger(events)
    for hour in 0...10 {
      // Positions are those of the whole ledger: events that are later by the clock come last.
      let known = events.filter { $0.event.occurredAt <= .march(hour) }
      let other = try TemporaryLedger(known)
      let positions = Dictionary(
        uniqueKeysWithValues: known.enumerated().map { (UInt64($0 + 1), $1.position) })
      let answers = try [
        (ledger, Clocks(at: .march(hour))), (other, .now),
      ].map { ledger, clocks in
        try ledger.ledger.read { (view) throws(LedgerError) in
          try view.catalogueListing(CatalogueQuery(clocks: clocks, now: .march(hour)))
        }
      }
      #expect(answers[0].map(\.product) == answers[1].map(\.product), "at \(hour)")
      #expect(answers[0].map(\.versionOnOffer) == answers[1].map(\.versionOnOffer))
      #expect(answers[0].map { $0.entry?.title } == answers[1].map { $0.entry?.title })
      #expect(
        answers[0].map { $0.offers.map(\.position) }
          == answers[1].map { $0.offers.map { positions[$0.position] ?? 0 } })
    }
  }

  @Test("of dense histories do the same", arguments: 0..<12)
  func dense(_ seed: Int) throws {
    let events = Histories.dense(seed: UInt64(seed) + 4_000)
    let ledger = try TemporaryLedger(events)
    let now = Instant(rfc3339: "2030-01-01T00:00:00Z") ?? .march(0)
    let products = Set(events.compactMap(\.event.product))
    for position in stride(from: 7, to: events.count, by: 13) {
      let stopped = try TemporaryLedger(Array(events.prefix(position)))
      #expect(
        try statement(
          ledger, Clocks(asOf: .position(UInt64(position))), products: products, now: now)
          == statement(stopped, .now, products: products, now: now), "seed \(seed), \(position)")
    }
  }
}
