public import LedgerEvents
internal import LedgerModel
public import LedgerStore

extension LedgerView {
  /// The version on offer of each product for which events have named one (`model.md` 18).
  ///
  /// - Complexity: O(*u*) in the units that observed the products, by a small row of each. If the
  ///   clocks ask about the past, O(*n* log *n*) in their events, one unit at a time; O(*n*) in the
  ///   ledger's events for a store time before the event from which the ledger learned of the
  ///   environment.
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
  func versionsOnOffer(
    of products: Set<Unit.ObservedProduct>, _ clocks: Clocks
  ) throws(LedgerError) -> [Unit.ObservedProduct: Name] {
    if clocks.reachAll { return try versionsOnOffer(ofEach: products, clocks) }
    var observers: Set<UnitNumber> = []
    for units in try pastObservers(of: products).values { observers.formUnion(units) }
    return try versionsOnOffer(
      observedBy: Dictionary(uniqueKeysWithValues: products.map { ($0, observers) }), clocks)
  }

  /// The versions on offer by number, each as if it were asked for alone.
  ///
  /// - Parameter known: Units to include if the clocks ask about the past, even if they observed
  ///   nothing.
  /// - Complexity: O(*u*) in the units that observed the products, by a small row of each; they are
  ///   folded if the clocks ask about the past.
  func versionsOnOffer(
    ofEach products: Set<Unit.ObservedProduct>, _ clocks: Clocks,
    along known: Set<UnitNumber> = []
  ) throws(LedgerError) -> [Unit.ObservedProduct: Name] {
    if clocks.reachAll {
      return try offeredVersions(of: products).mapValues(\.version)
    }
    return try versionsOnOffer(
      observedBy: try pastObservers(of: products).mapValues { $0.union(known) }, clocks)
  }

  /// The units that may have observed each product at an earlier time.
  func pastObservers(
    of products: Set<Unit.ObservedProduct>
  ) throws(LedgerError) -> [Unit.ObservedProduct: Set<UnitNumber>] {
    var observers: [Unit.ObservedProduct: Set<UnitNumber>] = [:]
    for product in products {
      // An event may have counted in another environment before its transaction stated one.
      for environment in StoreEnvironment.allCases {
        observers[product, default: []].formUnion(
          try self.observers(of: .init(environment: environment, product: product.product)))
      }
    }
    return observers
  }

  /// The versions on offer at the clocks, by the units that may have observed them.
  private func versionsOnOffer(
    observedBy observers: [Unit.ObservedProduct: Set<UnitNumber>], _ clocks: Clocks
  ) throws(LedgerError) -> [Unit.ObservedProduct: Name] {
    if observers.isEmpty { return [:] }
    let context = try context(at: clocks, in: EnvironmentSet(observers.keys.map(\.environment)))
    let units = observers.values.reduce(into: Set<UnitNumber>()) { $0.formUnion($1) }
    var offered: OfferedVersions = [:]
    for unit in units {
      let state = try self.unit(numbered: unit, at: clocks, context)
      let products = Set(observers.lazy.filter { $0.value.contains(unit) }.map(\.key))
      state.offerVersions(of: products, to: &offered, texts)
    }
    try texts.check()
    return offered.mapValues(\.version)
  }

  /// What all units observed of a product, including events that are not projected yet.
  ///
  /// - Complexity: O(*u*) in the number of units that observed it, and in the units that the
  ///   unprojected events touch.
  func observed(_ observed: Unit.ObservedProduct) throws(LedgerError) -> ProductObservations {
    var all = ProductObservations()
    for unit in try observers(of: observed) {
      guard let state = try state(of: unit) else { continue }
      state.addObservations(of: observed, to: &all, texts: texts)
    }
    try texts.check()
    return all
  }

  /// The fold context at the clocks. It knows those of the environments in `asked` that an event up
  /// to then states.
  ///
  /// The ledger keeps the event from which it learned of an environment. In store time, another
  /// event may be the first to state it.
  ///
  /// - Complexity: as ``context(at:)``; O(*n*) in the ledger's events for each environment that the
  ///   ledger knows but whose kept event is later.
  func context(
    at clocks: Clocks, in asked: EnvironmentSet
  ) throws(LedgerError) -> SharedContext {
    var context = try context(at: clocks)
    guard let at = clocks.at else { return context }
    let known = self.context.environments.intersection(asked)
    for environment in known.subtracting(context.environments).members {
      let found = try firstFact(
        in: environment, upTo: at.microseconds, through: try lastPosition(clocks))
      if let found { context.add(found, texts) }
    }
    try texts.check()
    return context
  }

  /// The first fact by position that states an environment and occurred up to a moment.
  private func firstFact(
    in environment: StoreEnvironment, upTo moment: Int64, through end: UInt64
  ) throws(LedgerError) -> Fact? {
    if end == 0 { return nil }
    var cursor = try log.records(in: 1...end)
    while try cursor.next() {
      let record = try cursor.record()
      let fact: Fact
      do throws(RecordError) { fact = try Fact(record) } catch {
        throw LedgerError(error, at: cursor.position)
      }
      if fact.environment == environment && fact.occurredAt <= moment { return fact }
    }
    return nil
  }
}
