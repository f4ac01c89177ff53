import LedgerEvents

extension Event {
  /// Returns a period of a subscription, paid at a second after noon.
  static func subscribed(
    _ id: Name, _ account: Name = "anna", product: Name = "monthly", at second: Int64,
    until end: Int64, environment: StoreEnvironment? = nil
  ) -> Event {
    Event(
      id: id, type: EventType(.transactionPurchased), occurredAt: .noon(second),
      source: EventSource(.storekit1),
      environment: environment, account: account, device: "phone",
      product: product, transaction: id, data: .with { $0.set("expiresAt", Instant.noon(end)) })
  }

  /// Returns a purchase without an end.
  static func bought(
    _ id: Name, _ account: Name = "anna", product: Name = "map", at second: Int64,
    environment: StoreEnvironment? = nil
  ) -> Event {
    Event(
      id: id, type: EventType(.transactionPurchased), occurredAt: .noon(second),
      source: EventSource(.storekit1),
      environment: environment, account: account, device: "phone",
      product: product, transaction: id)
  }

  /// Returns an operator's grant.
  static func granted(
    _ id: Name, _ account: Name, _ entitlement: String, at second: Int64, until end: Int64? = nil
  ) -> Event {
    Event(
      id: id, type: EventType(.entitlementGranted), occurredAt: .noon(second), account: account,
      data: .with {
        $0.set("entitlement", entitlement)
        $0.set("until", end.map { Instant.noon($0) })
      })
  }

  /// Returns a link of two ids of one customer.
  static func linked(_ id: Name, _ account: Name, _ to: String, at second: Int64) -> Event {
    Event(
      id: id, type: EventType(.accountLinked), occurredAt: .noon(second), account: account,
      data: .with { $0.set("to", to) })
  }

  /// Returns a catalogue entry of a product for every environment.
  static func catalog(
    _ id: Name, _ product: String, _ kind: String, opens: [String], at second: Int64
  ) -> Event {
    let names = opens.map { "\"\($0)\"" }.joined(separator: ",")
    let json = #"[{"product":"\#(product)","kind":"\#(kind)","entitlements":[\#(names)]}]"#
    return Event(
      id: id, type: EventType(.catalogSet), occurredAt: .noon(second),
      data: .with { $0.set("products", json: Array(json.utf8)) })
  }
}

extension EventData {
  /// Returns data with the members that `build` sets.
  static func with(_ build: (inout Builder) -> Void) -> EventData {
    var builder = Builder()
    build(&builder)
    return builder.build()
  }
}
