public import LedgerEvents

/// A whole ledger in memory: facts cut into units, each folded with the shared context.
///
/// It serves what has no projections: the replay of a file, questions about the past, tests.
public struct Book {
  public let context: SharedContext
  /// In the order of their first facts.
  public let units: [Unit]
  /// What all units observed, by product.
  let observations: [Unit.ObservedProduct: ProductObservations]
  /// By unit: what it observed.
  private let observed: [[Unit.ObservedProduct]]
  private let unitByName: [NameNumber: Int]
  private let texts: any FactTexts

  /// Folds facts given in any order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of facts.
  public init(folding facts: [Fact], texts: any FactTexts) {
    let sorted = Unit.inFoldOrder(facts, texts)
    var (context, partition, units) = Self.arrange(sorted, texts)
    let observed = units.map(\.observedProducts)
    var observations: [Unit.ObservedProduct: ProductObservations] = [:]
    for (unit, products) in zip(units, observed) {
      for product in products {
        observations[product, default: .init()].merge(
          unit.observations(of: product, texts: texts), texts)
      }
    }
    self.context = context
    self.units = units
    self.observed = observed
    self.observations = observations
    self.unitByName = partition.unitByName()
    self.texts = texts
  }

  /// The positions of the facts that can decide what somebody has: those of the name's unit among
  /// these facts, and of those that the shared context rests on.
  ///
  /// - Complexity: as `init(folding:texts:)`.
  public static func ground(
    of name: NameNumber, among facts: [Fact], texts: any FactTexts
  ) -> Set<UInt64> {
    let sorted = Unit.inFoldOrder(facts, texts)
    var partition = arrange(sorted, texts).partition
    let parts = partition.parts()
    var positions = Set(sorted.filter(SharedContext.restsOn).map(\.position))
    if let part = partition.unitByName()[name] {
      positions.formUnion(parts[part].map { sorted[$0].position })
    }
    return positions
  }

  /// The shared context of facts in the fold's order, and their units.
  private static func arrange(
    _ sorted: [Fact], _ texts: any FactTexts
  ) -> (context: SharedContext, partition: Partition, units: [Unit]) {
    var context = SharedContext()
    var change = ContextChange()
    for fact in sorted { context.extend(with: fact, texts, &change) }
    var partition = Partition(sorted)
    var units = fold(partition.parts(), sorted, context, texts)
    while partition.joinCoupled(units) {
      units = fold(partition.parts(), sorted, context, texts)
    }
    return (context, partition, units)
  }

  /// Folds facts of which it is known that all that state a name hang together: what
  /// `init(folding:)` gives, without finding out which belong to which. Its units cannot be asked
  /// for by name.
  ///
  /// - Complexity: O(*n*) in the number of facts where they come in the fold's order.
  public init(foldingAsOne facts: [Fact], texts: any FactTexts) {
    var context = SharedContext()
    var change = ContextChange()
    // Few facts concern the context, and those that cannot are told in place.
    for place in facts.indices
    where facts[place].device == 0 || facts[place].environment != nil
      || facts[place].kind == .catalogSet
    {
      context.extend(with: facts[place], texts, &change)
    }
    let unit = Unit.fold(facts, context: context, texts: texts)
    let observed = unit.observedProducts
    var observations: [Unit.ObservedProduct: ProductObservations] = [:]
    for product in observed {
      observations[product] = unit.observations(of: product, texts: texts)
    }
    self.context = context
    self.units = [unit]
    self.observed = [observed]
    self.observations = observations
    self.unitByName = [:]
    self.texts = texts
  }

  private static func fold(
    _ parts: [[Int]], _ facts: [Fact], _ context: SharedContext, _ texts: any FactTexts
  ) -> [Unit] {
    parts.map { part in
      Unit.fold(part.map { facts[$0] }, context: context, texts: texts)
    }
  }

  /// The unit that an account, device, transaction, original or payment belongs to.
  public func unit(of name: NameNumber) -> Unit? {
    unitByName[name].map { units[$0] }
  }

  private func unit(of subject: Subject) -> Unit? {
    switch subject {
    case .account(let number), .transaction(let number), .original(let number):
      unit(of: number)
    }
  }

  /// What a customer has at a moment; an empty answer where nobody knows the customer.
  public func answer(
    _ subject: Subject, environments: EnvironmentSet = .production, at moment: Int64
  ) -> Answer {
    unit(of: subject)?.answer(
      subject, environments: environments, at: moment, context: context, texts: texts)
      ?? Answer()
  }

  /// What a customer has installed, by device and product.
  public func installed(
    _ subject: Subject, environments: EnvironmentSet = .production
  ) -> [InstalledContent] {
    unit(of: subject)?.installed(subject, environments: environments) ?? []
  }

  /// The version on offer of a product: the highest that events have named for it.
  public func versionOnOffer(
    of product: NameNumber, in environment: StoreEnvironment
  ) -> Name? {
    observations[.init(environment: environment, product: product)]?.onOffer(texts)?.version
  }

  /// Believed `occurredAt` of the newest fact that counts in an environment.
  public func newestEvent(in environment: StoreEnvironment) -> Int64? {
    units.compactMap { $0.newestEvent(in: environment) }.max()
  }

  /// All broken rules of the first table, by position.
  public var findings: [Finding] {
    var all = units.flatMap(\.findings)
    for (place, products) in observed.enumerated() {
      for product in products {
        guard let known = observations[product] else { continue }
        all += units[place].findings(of: product, against: known, texts: texts)
      }
    }
    return Self.sorted(all)
  }

  /// The rules of the second table that hold at a moment.
  public func findings(
    at moment: Int64, in environment: StoreEnvironment, thresholds: Thresholds = .standard
  ) -> [Finding] {
    let ofUnits = units.flatMap {
      $0.findings(
        at: moment, in: environment, thresholds: thresholds, context: context, texts: texts
      ) { product in
        observations[.init(environment: environment, product: product)]?.isInstalledByNobody
          ?? false
      }
    }
    let ofAbsent = context.findings(at: moment, in: environment, thresholds: thresholds)
    return Self.sorted(ofUnits + ofAbsent)
  }

  /// By position, environment and rule.
  static func sorted(_ findings: [Finding]) -> [Finding] {
    findings.sorted {
      ($0.position, $0.environment.rawValue, $0.rule.rawValue, $0.transaction)
        < ($1.position, $1.environment.rawValue, $1.rule.rawValue, $1.transaction)
    }
  }
}

extension SharedContext {
  /// What the absent device has open at a moment.
  public func findings(
    at moment: Int64, in environment: StoreEnvironment, thresholds: Thresholds = .standard
  ) -> [Finding] {
    absentDevice(in: environment).unansweredRestores.filter {
      RestoreUnanswered.holds(requestedAt: $0.key.time, at: moment, thresholds)
    }.map {
      Finding(
        rule: .restoreUnanswered, environment: environment, position: $0.key.position,
        occurredAt: $0.key.time, account: $0.account)
    }
  }
}
