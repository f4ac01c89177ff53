public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// What the seller's catalogue says about a product: the entry in force (`model.md` 5).
public struct CatalogueAnswer: Sendable {
  public var product: Name
  public var kind: ProductDefinition.Kind
  public var entitlements: [Name]
  public var grants: [ProductDefinition.Grant]
  /// The ISO 8601 duration as it was written.
  public var duration: String?
  public var title: String?
  public var subscriptionGroup: String?
  /// `builtIn`, `ownServer` or `store`.
  public var delivery: String?
  /// The whole entry as the `catalog.set` states it, including unknown members.
  public var entry: JSONValue
  /// The position of the `catalog.set`, and the time from which it applies.
  public var position: UInt64
  public var since: Instant
  /// `nil` if it applies to every app.
  public var app: Name?
  /// `nil` if it applies in every environment.
  public var environment: StoreEnvironment?
}

extension LedgerView {
  /// The catalogue in force at the clocks, sorted by product; at `now` if the clocks name no store
  /// time. If `app` is `nil`, entries for any app count; otherwise, those for that app and for
  /// every app.
  ///
  /// - Complexity: O(*n*) in the catalogue's change points.
  /// - Throws: ``LedgerError``.
  public func catalogue(
    in environment: StoreEnvironment = .production, app: Name? = nil, clocks: Clocks = .now,
    now: Instant
  ) throws(LedgerError) -> [CatalogueAnswer] {
    let catalogue = try context(at: clocks).catalogue
    let moment = clocks.at ?? now
    guard let number = try scopeNumber(of: app) else { return [] }
    var answers: [CatalogueAnswer] = []
    var events: [UInt64: [Name: JSONValue]] = [:]
    for product in catalogue.products {
      guard
        let found = catalogue.entryInForce(
          of: product, in: environment, app: number, at: moment.microseconds)
      else { continue }
      answers.append(try answer(found, &events))
    }
    return answers.sorted { $0.product < $1.product }
  }

  /// The number of an app: 0 if `app` is `nil`, and a number that no entry has if no event names
  /// it.
  private func scopeNumber(of app: Name?) throws(LedgerError) -> NameNumber? {
    guard let app else { return 0 }
    // An entry for every app also applies to an app that no event names.
    return try number(of: .app, app) ?? .max
  }

  /// A catalogue entry with names, and as its event states it.
  ///
  /// - Complexity: O(*n*) in the products of the event.
  package func answer(_ found: CatalogueEntry) throws(LedgerError) -> CatalogueAnswer {
    var events: [UInt64: [Name: JSONValue]] = [:]
    return try answer(found, &events)
  }

  /// - Parameter events: The products of events that were already read, by position.
  private func answer(
    _ found: CatalogueEntry, _ events: inout [UInt64: [Name: JSONValue]]
  ) throws(LedgerError) -> CatalogueAnswer {
    let product = try text(of: found.definition.product)
    if events[found.position] == nil {
      var products: [Name: JSONValue] = [:]
      for entry in try event(at: found.position).event.data.array("products") ?? [] {
        // If an event names a product twice, the last entry is in force.
        if let name = entry["product"]?.string { products[Name(name)] = entry }
      }
      events[found.position] = products
    }
    let entry = events[found.position]?[product]
    return CatalogueAnswer(
      product: product, kind: found.definition.kind, entitlements: found.definition.entitlements,
      grants: found.definition.grants, duration: entry?["duration"]?.string,
      title: entry?["title"]?.string, subscriptionGroup: entry?["subscriptionGroup"]?.string,
      delivery: entry?["delivery"]?.string, entry: entry ?? .object([]),
      position: found.position, since: Instant(microseconds: found.time),
      app: try text(found.app), environment: found.environment)
  }
}

extension ProductDefinition.Kind {
  /// The value as events write it.
  public var text: String {
    switch self {
    case .consumable: "consumable"
    case .nonConsumable: "nonConsumable"
    case .autoRenewable: "autoRenewable"
    case .nonRenewing: "nonRenewing"
    }
  }
}
