package import LedgerEvents

/// The findings of a ledger, collected unit by unit.
///
/// Some findings depend on what all units observed of a product. The caller supplies those
/// observations.
package struct LedgerFindings {
  private let texts: any FactTexts
  private let thresholds: Thresholds
  /// When the rules of the second table are judged, by environment.
  package var moments: [(environment: StoreEnvironment, moment: Int64)] = []
  /// Findings that depend on what all units observed of a product are needed only for these; `nil`
  /// for all products.
  package var products: Set<NameNumber>?
  private var found: [Finding] = []
  /// The observations of all units, which are looked up once for each product.
  private var known: [Unit.ObservedProduct: ProductObservations] = [:]

  package init(texts: any FactTexts, thresholds: Thresholds = .standard) {
    self.texts = texts
    self.thresholds = thresholds
  }

  /// The collected findings, in order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of findings.
  package var sorted: [Finding] { found.sorted() }

  /// Adds everything that a unit breaks.
  ///
  /// - Parameter observations: Returns what all units observed of a product. It is called once for
  ///   each product.
  package mutating func add<Failure: Error>(
    _ unit: Unit, _ context: SharedContext,
    _ observations: (Unit.ObservedProduct) throws(Failure) -> ProductObservations
  ) throws(Failure) {
    try addBroken(by: unit, observations)
    try addOpen(in: unit, context, observations)
  }

  /// Adds the rules of the first table that a unit's events broke.
  ///
  /// - Parameter observations: Returns what all units observed of a product. It is called once for
  ///   each product.
  package mutating func addBroken<Failure: Error>(
    by unit: Unit,
    _ observations: (Unit.ObservedProduct) throws(Failure) -> ProductObservations
  ) throws(Failure) {
    found += unit.findings
    try addJudgedByAll(in: unit, observations)
  }

  /// Adds the findings of a unit that depend on what all units observed.
  private mutating func addJudgedByAll<Failure: Error>(
    in unit: Unit,
    _ observations: (Unit.ObservedProduct) throws(Failure) -> ProductObservations
  ) throws(Failure) {
    let texts = texts
    try unit.eachJudged { (product, event) throws(Failure) in
      guard products?.contains(product.product) ?? true else { return }
      try lookUp(product, observations)
      if let finding = known[product]?.finding(at: event, texts) { found.append(finding) }
    }
  }

  /// Adds the rules of the second table that hold in a unit at `moments`.
  ///
  /// - Parameter observations: Returns what all units observed of a product. It is called once for
  ///   each product.
  package mutating func addOpen<Failure: Error>(
    in unit: Unit, _ context: SharedContext,
    _ observations: (Unit.ObservedProduct) throws(Failure) -> ProductObservations
  ) throws(Failure) {
    // Content without a holder counts as delivered for chains without a holder, in whichever unit
    // it is.
    var installedByNobody: Set<Unit.ObservedProduct> = []
    for product in unit.unheldProducts {
      try lookUp(product, observations)
      if known[product]?.isInstalledByNobody ?? false { installedByNobody.insert(product) }
    }
    for (environment, moment) in moments {
      found += unit.findings(
        at: moment, in: environment, thresholds: thresholds, context: context, texts: texts
      ) { product in
        installedByNobody.contains(
          Unit.ObservedProduct(environment: environment, product: product))
      }
    }
  }

  /// Adds the findings that belong to no unit: restores that name no device.
  package mutating func addAbsentDevice(_ context: SharedContext) {
    for (environment, moment) in moments {
      found += context.findings(at: moment, in: environment, thresholds: thresholds)
    }
  }

  private mutating func lookUp<Failure: Error>(
    _ product: Unit.ObservedProduct,
    _ observations: (Unit.ObservedProduct) throws(Failure) -> ProductObservations
  ) throws(Failure) {
    if known[product] == nil { known[product] = try observations(product) }
  }
}
