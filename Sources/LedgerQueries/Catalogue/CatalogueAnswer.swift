public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// What the seller's catalogue says of a product: the entry in force (`model.md` 5).
public struct CatalogueAnswer: Sendable {
  public var product: Name
  public var kind: CatalogEntry.Kind
  public var entitlements: [Name]
  public var grants: [CatalogEntry.Grant]
  /// As it was written, ISO 8601.
  public var duration: String?
  public var title: String?
  public var subscriptionGroup: String?
  /// `builtIn`, `ownServer` or `store`.
  public var delivery: String?
  /// The entry whole, as the `catalog.set` states it, members that nobody knows included.
  public var entry: JSONValue
  /// The position of the `catalog.set`, and from when it counts.
  public var position: UInt64
  public var since: Instant
  /// `nil` where it counts for every app.
  public var app: Name?
  /// `nil` where it counts in every environment.
  public var environment: StoreEnvironment?
}

/// Where a catalogue counts: what `catalog.set` states beside its products.
public struct CatalogueScope: Hashable, Sendable {
  /// `nil` for every app.
  public var app: Name?
  /// `nil` for every environment.
  public var environment: StoreEnvironment?

  public init(app: Name? = nil, environment: StoreEnvironment? = nil) {
    self.app = app
    self.environment = environment
  }
}

extension LedgerView {
  /// The catalogue in force at the clocks, by product; without a store time of theirs, at `now`;
  /// for one app, or of whatever app where none is named.
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
    for product in catalogue.products {
      guard
        let found = catalogue.entryInForce(
          of: product, in: environment, app: number, at: moment.microseconds)
      else { continue }
      answers.append(try answer(found))
    }
    return answers.sorted { $0.product < $1.product }
  }

  /// The newest entry of a product up to a moment that reaches into a scope, and whether it counts
  /// for all of that scope.
  ///
  /// - Throws: ``LedgerError``.
  public func newestEntry(
    of product: Name, reaching scope: CatalogueScope, at moment: Instant
  ) throws(LedgerError) -> (answer: CatalogueAnswer, coversScope: Bool)? {
    guard let number = try number(of: .product, product) else { return nil }
    // An app that no event names yet has no entry of its own, and matches those of every app.
    let app =
      try scope.app.map { (name) throws(LedgerError) in
        try self.number(of: .app, name) ?? .max
      } ?? 0
    guard
      let found = context.catalogue.newestEntry(
        of: number, reaching: scope.environment, app: app, at: moment.microseconds)
    else { return nil }
    return (try answer(found), found.covers(scope.environment, app: app))
  }

  /// The version on offer of each product that events have named one for (`model.md` 18).
  ///
  /// - Complexity: O(*u*) in the units that observed the products; where the clocks ask for the
  ///   past, O(*n* log *n*) in their events, one unit at a time; O(*n*) in the ledger's events for
  ///   a store time before that of the event by which the ledger learned of the environment.
  /// - Throws: ``LedgerError``.
  public func versionsOnOffer(
    of products: [Name], in environment: StoreEnvironment = .production, clocks: Clocks = .now
  ) throws(LedgerError) -> [Name: Name] {
    var names: [Unit.ObservedProduct: Name] = [:]
    for name in products {
      guard let number = try number(of: .product, name) else { continue }
      names[.init(environment: environment, product: number)] = name
    }
    var versions: [Name: Name] = [:]
    for (product, version) in try versionsOnOffer(of: Set(names.keys), clocks) {
      if let name = names[product] { versions[name] = version }
    }
    return versions
  }

  /// The versions on offer by number; see ``versionsOnOffer(of:in:clocks:)``.
  ///
  /// - Parameter known: Units to look at where the clocks ask for the past, observers or not.
  func versionsOnOffer(
    of products: Set<Unit.ObservedProduct>, _ clocks: Clocks, along known: Set<UnitNumber> = []
  ) throws(LedgerError) -> [Unit.ObservedProduct: Name] {
    let all =
      clocks.reachAll
      ? try observations(of: products) : try observations(of: products, clocks, along: known)
    return all.compactMapValues { $0.onOffer(texts)?.version }
  }

  private func observations(
    of products: Set<Unit.ObservedProduct>
  ) throws(LedgerError) -> [Unit.ObservedProduct: ProductObservations] {
    var all: [Unit.ObservedProduct: ProductObservations] = [:]
    for product in products { all[product] = try observed(product) }
    return all
  }

  /// What units had observed at the clocks.
  private func observations(
    of products: Set<Unit.ObservedProduct>, _ clocks: Clocks, along known: Set<UnitNumber>
  ) throws(LedgerError) -> [Unit.ObservedProduct: ProductObservations] {
    var all: [Unit.ObservedProduct: ProductObservations] = [:]
    let context = try context(at: clocks, in: EnvironmentSet(products.map(\.environment)))
    var observers = known
    for product in products {
      // An event's environment may have been another one before its transaction stated it.
      for environment in StoreEnvironment.allCases {
        observers.formUnion(
          try self.observers(of: .init(environment: environment, product: product.product)))
      }
    }
    for unit in observers.sorted() {
      let state = Unit.fold(try facts(of: unit, at: clocks), context: context, texts: texts)
      for product in products {
        all[product, default: .init()].merge(state.observations(of: product, texts: texts), texts)
      }
    }
    try texts.check()
    return all
  }

  /// The number of an app; 0 where none is asked for, and nil where no event names it.
  private func scopeNumber(of app: Name?) throws(LedgerError) -> NameNumber? {
    guard let app else { return 0 }
    // What counts for every app counts for one that no event names, too.
    return try number(of: .app, app) ?? .max
  }

  private func answer(_ found: CatalogueEntry) throws(LedgerError) -> CatalogueAnswer {
    let product = try text(of: found.entry.product)
    let products = try event(at: found.position).event.data.array("products") ?? []
    // Where a set names a product twice, the entry that stands last is in force.
    let entry = products.last { $0["product"]?.string.map { Name($0) } == product }
    return CatalogueAnswer(
      product: product, kind: found.entry.kind, entitlements: found.entry.entitlements,
      grants: found.entry.grants, duration: entry?["duration"]?.string,
      title: entry?["title"]?.string, subscriptionGroup: entry?["subscriptionGroup"]?.string,
      delivery: entry?["delivery"]?.string, entry: entry ?? .object([]),
      position: found.position, since: Instant(microseconds: found.time),
      app: try text(found.app), environment: found.environment)
  }
}

extension CatalogEntry.Kind {
  /// As events write it.
  public var text: String {
    switch self {
    case .consumable: "consumable"
    case .nonConsumable: "nonConsumable"
    case .autoRenewable: "autoRenewable"
    case .nonRenewing: "nonRenewing"
    }
  }
}
