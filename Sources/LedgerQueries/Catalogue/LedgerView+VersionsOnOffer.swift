public import LedgerEvents
internal import LedgerModel
public import LedgerStore

extension LedgerView {
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

  /// What all units observed of a product, everything that stands behind the projections included.
  ///
  /// - Complexity: O(*u*) in the number of units that observed it, and in those that the events
  ///   behind the projections touch.
  func observed(_ observed: Unit.ObservedProduct) throws(LedgerError) -> ProductObservations {
    var all = ProductObservations()
    for unit in try observers(of: observed) {
      guard let state = try state(of: unit) else { continue }
      all.merge(state.observations(of: observed, texts: texts), texts)
    }
    try texts.check()
    return all
  }

  /// The fold context at the clocks, which knows those of the environments asked for that an
  /// event up to then states.
  ///
  /// What is kept at hand is the event by which the ledger learned of an environment. In store time
  /// another one may be the first to state it.
  ///
  /// - Complexity: as ``context(at:)``; O(*n*) in the ledger's events for each environment that the
  ///   ledger knows and those kept at hand do not state by then.
  private func context(
    at clocks: Clocks, in asked: EnvironmentSet
  ) throws(LedgerError) -> SharedContext {
    var context = try context(at: clocks)
    guard let at = clocks.at else { return context }
    let known = self.context.environments.intersection(asked)
    for environment in known.subtracting(context.environments).members {
      let found = try firstFact(
        in: environment, upTo: at.microseconds, through: try lastPosition(clocks))
      guard let found else { continue }
      var change = ContextChange()
      context.extend(with: found, texts, &change)
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
