import LedgerEvents
import LedgerQueries
import LedgerTesting
import ProductCatalogue

extension TemporaryLedger {
  /// Appends lines of events that were recorded when they occurred.
  func append(_ lines: String...) throws {
    try append(lines.map { try RecordedEvent(line: $0) })
  }
}

extension RecordedEvent {
  init(line: String) throws {
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    self.init(position: 1, recordedAt: event.occurredAt, event: event)
  }

  /// Returns a response of the store, at an hour of 1 March 2026.
  static func response(
    _ hour: Int, _ device: String?, _ products: String, invalid: String = "[]", id: String? = nil,
    more: String = ""
  ) throws -> RecordedEvent {
    let named = device.map { #","device":"\#($0)""# } ?? ""
    return try RecordedEvent(
      line: #"{"id":"\#(id ?? "response-\(hour)-\(device ?? "none")")","type":"catalog.received","#
        + #""occurredAt":"\#(Instant.march(hour).rfc3339)"\#(named)\#(more),"#
        + #""data":{"products":[\#(products)],"invalid":\#(invalid)}}"#)
  }

  /// Returns the seller's catalogue, from an hour of 1 March 2026 on.
  static func catalogue(
    _ hour: Int, _ products: String, id: String? = nil, more: String = ""
  ) throws -> RecordedEvent {
    try RecordedEvent(
      line: #"{"id":"\#(id ?? "catalogue-\(hour)")","type":"catalog.set","#
        + #""occurredAt":"\#(Instant.march(hour).rfc3339)"\#(more),"#
        + #""data":{"products":[\#(products)]}}"#)
  }

  /// Returns a purchase, at an hour of 1 March 2026.
  static func purchase(
    _ hour: Int, _ product: String, of account: String, quantity: Int = 1
  ) throws -> RecordedEvent {
    try RecordedEvent(
      line: #"{"id":"purchase-\#(hour)-\#(account)","type":"transaction.purchased","#
        + #""occurredAt":"\#(Instant.march(hour).rfc3339)","account":"\#(account)","#
        + #""device":"phone-\#(account)","product":"\#(product)","#
        + #""transaction":"t-\#(hour)-\#(account)","data":{"quantity":\#(quantity)}}"#)
  }
}

extension Instant {
  /// Returns an hour of 1 March 2026, in UTC.
  static func march(_ hour: Int) -> Instant {
    Instant(microseconds: 1_772_323_200 * second + Int64(hour) * Self.hour)
  }
}

extension CatalogueQuery {
  /// Returns a question about a time long after everything in these tests.
  static func later(
    product: Name? = nil, storefront: String? = nil, app: Name? = nil, clocks: Clocks = .now,
    environment: StoreEnvironment = .production
  ) -> CatalogueQuery {
    CatalogueQuery(
      environment: environment, app: app, storefront: storefront.map { Storefront($0) },
      product: product, clocks: clocks, now: .march(10_000))
  }
}
