import LedgerEvents
import LedgerHistories
import LedgerQueries
import LedgerTesting
import ProductCatalogue
import Testing

/// Returns `"map"` with a price in a storefront's locale.
private func map(
  _ price: String, _ currency: String, _ locale: String, _ storefront: String? = nil
) -> String {
  let named = storefront.map { #","storefront":"\#($0)""# } ?? ""
  return #"{"product":"map","title":"Map","price":"\#(price)","currency":"\#(currency)","#
    + #""priceLocale":"\#(locale)"\#(named)}"#
}

@Suite("The catalogue") struct CatalogueListingTests {
  @Test("has each product's prices as people in each storefront read them")
  func storefronts() throws {
    let ledger = try TemporaryLedger([
      .catalogue(1, #"{"product":"map","kind":"nonConsumable","entitlements":["maps"]}"#),
      .response(2, "a", map("24.99", "USD", "en_US", "USA")),
      .response(3, "b", map("3800", "JPY", "ja_JP", "JPN")),
      .response(4, "c", map("29.99", "EUR", "de_DE", "DEU")),
    ])
    let products = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.catalogueListing(.later())
    }
    #expect(products.map(\.product) == ["map"])
    #expect(products.first?.entry?.entitlements == ["maps"])
    #expect(products.first?.offers.map { $0.storefront?.code } == ["DEU", "JPN", "USA"])
    #expect(
      products.first?.offers.map { $0.reading?.text } == ["29,99\u{A0}€", "¥3,800", "$24.99"])
  }

  @Test("shows the newest price by the fold's order, whatever arrived last") func newest() throws {
    let ledger = try TemporaryLedger([
      .response(5, "a", map("19.99", "USD", "en_US", "USA")),
      .response(2, "a", map("24.99", "USD", "en_US", "USA")),
    ])
    let product = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.catalogueListing(.later())
    }.first
    #expect(product?.offers.map { $0.reading?.text } == ["$19.99"])
    #expect(product?.entry == nil)
  }

  @Test("shows the newest state of a product's hosted content, in its environment")
  func hosting() throws {
    func state(_ hour: Int, _ hosting: String, more: String = "") throws -> RecordedEvent {
      try RecordedEvent(
        line: #"{"id":"hosting-\#(hour)","type":"content.hostingChanged","occurredAt":"#
          + #""\#(Instant.march(hour).rfc3339)","product":"map"\#(more),"#
          + #""data":{"hosting":"\#(hosting)"}}"#)
    }
    let ledger = try TemporaryLedger([
      .catalogue(
        1, #"{"product":"map","kind":"nonConsumable"},{"product":"p","kind":"consumable"}"#),
      state(5, "approved"), state(3, "waitingForUpload"),
      state(6, "readyToSubmit", more: #","environment":"sandbox""#),
    ])
    let products = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.catalogueListing(.later())
    }
    #expect(products.map(\.hosting) == ["approved", nil])
  }

  @Test("knows a response's storefront from what its device said before")
  func storefrontOfDevice() throws {
    func said(_ hour: Int, _ storefront: String, more: String = "") throws -> RecordedEvent {
      try RecordedEvent(
        line: #"{"id":"said-\#(hour)","type":"storefront.changed","occurredAt":"#
          + #""\#(Instant.march(hour).rfc3339)","device":"a"\#(more),"#
          + #""data":{"storefront":"\#(storefront)"}}"#)
    }
    let ledger = try TemporaryLedger([
      said(1, "USA"), .response(2, "a", map("24.99", "USD", "en_US")),
      said(3, "JPN"), .response(4, "a", map("3800", "JPY", "ja_JP")),
      said(5, "DEU", more: #","environment":"sandbox""#),
      .response(6, "a", map("3900", "JPY", "ja_JP"), more: #","environment":"production""#),
      .response(7, "b", map("1.00", "USD", "en_US")),
    ])
    let offers = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.catalogueListing(.later())
    }.first?.offers
    #expect(offers?.map { $0.storefront?.code } == ["JPN", "USA", nil])
    #expect(offers?.map { $0.reading?.text } == ["¥3,900", "$24.99", "$1.00"])
  }

  @Test("answers at a store time what was in force and reported then") func storeTime() throws {
    let ledger = try TemporaryLedger([
      .catalogue(1, #"{"product":"map","kind":"nonConsumable","title":"Old"}"#),
      .response(
        2, "a", #"{"product":"map","contentVersion":"1.0","price":"1.00","currency":"USD"}"#),
      .catalogue(3, #"{"product":"map","kind":"nonConsumable","title":"New"}"#),
      .response(
        4, "a", #"{"product":"map","contentVersion":"1.1","price":"2.00","currency":"USD"}"#),
    ])
    func listing(_ clocks: Clocks) throws -> CatalogueProduct? {
      try ledger.ledger.read { (view) throws(LedgerError) in
        try view.catalogueListing(.later(clocks: clocks))
      }.first
    }
    let before = try listing(Clocks(at: .march(2)))
    #expect(before?.entry?.title == "Old")
    #expect(before?.versionOnOffer == "1.0")
    #expect(before?.offers.map { $0.price?.amount } == ["1.00"])
    let after = try listing(.now)
    #expect(after?.entry?.title == "New")
    #expect(after?.versionOnOffer == "1.1")
    #expect(try listing(Clocks(at: .march(0))) == nil)
    #expect(try listing(Clocks(asOf: .position(2)))?.entry?.title == "Old")
  }

  @Test("is that of one app and environment where one is asked for") func scope() throws {
    let ledger = try TemporaryLedger([
      .catalogue(
        1, #"{"product":"map","kind":"nonConsumable","title":"A"}"#, more: #","app":"a""#),
      .catalogue(
        2, #"{"product":"map","kind":"nonConsumable","title":"B"}"#, more: #","app":"b""#),
      .catalogue(
        3, #"{"product":"map","kind":"nonConsumable","title":"S"}"#,
        more: #","app":"b","environment":"sandbox""#),
    ])
    func title(_ query: CatalogueQuery) throws -> String? {
      try ledger.ledger.read { (view) throws(LedgerError) in try view.catalogueListing(query) }
        .first?.entry?.title
    }
    #expect(try title(.later(app: "a")) == "A")
    #expect(try title(.later(app: "b")) == "B")
    #expect(try title(.later()) == "B")
    #expect(try title(.later(app: "b", environment: .sandbox)) == "S")
    #expect(try title(.later(app: "unheard of")) == nil)
  }

  @Test("says that a product is not for sale where the newest response calls it invalid")
  func notForSale() throws {
    let ledger = try TemporaryLedger([
      .response(1, "a", map("1.00", "USD", "en_US", "USA")),
      .response(
        2, "a", #"{"product":"pro","storefront":"USA"}"#, invalid: #"["map","nowhere"]"#),
    ])
    let products = try ledger.ledger.read { (view) throws(LedgerError) in
      try view.catalogueListing(.later())
    }
    #expect(products.map(\.product) == ["map", "pro"])
    #expect(products.first?.offers.map(\.isInvalid) == [true])
  }
}

@Suite("A product's prices") struct PriceHistoryTests {
  private func history(_ ledger: TemporaryLedger) throws -> [PriceChange] {
    try ledger.ledger.read { (view) throws(LedgerError) in
      try view.priceHistory(.later(product: "map"))
    }
  }

  @Test("change where the store says otherwise, storefront by storefront") func changes() throws {
    let ledger = try TemporaryLedger([
      .response(1, "a", map("24.99", "USD", "en_US", "USA")),
      .response(2, "b", map("24.990", "USD", "es_US", "US")),
      .response(3, "a", map("24.99", "USD", "en_US", "USA")),
      .response(5, "b", map("19.99", "USD", "en_US", "USA")),
      .response(4, "c", map("3800", "JPY", "ja_JP", "JPN")),
    ])
    let found = try history(ledger)
    #expect(found.map { $0.reading?.text } == ["¥3,800", "$24.99", "$19.99"])
    #expect(found.map(\.position) == [5, 1, 4])
    #expect(found.map(\.devices) == [1, 2, 1])
    #expect(found.map(\.responses) == [1, 3, 1])
    #expect(found.map(\.since) == [.march(4), .march(1), .march(5)])
    #expect(found[1].lastSeen == .march(3))
  }

  @Test("put a late answer where it belongs") func late() throws {
    let ledger = try TemporaryLedger([
      .response(1, "a", map("1.00", "USD", "en_US", "USA")),
      .response(3, "a", map("1.00", "USD", "en_US", "USA")),
      .response(2, "a", map("2.00", "USD", "en_US", "USA")),
    ])
    #expect(try history(ledger).map { $0.price?.amount } == ["1.00", "2.00", "1.00"])
  }

  @Test("end where the product leaves the store") func endOfSale() throws {
    let ledger = try TemporaryLedger([
      .response(1, "a", map("1.00", "USD", "en_US", "USA")),
      .response(2, "a", #"{"product":"pro","storefront":"USA"}"#, invalid: #"["map"]"#),
    ])
    #expect(try history(ledger).map(\.isInvalid) == [false, true])
  }
}
