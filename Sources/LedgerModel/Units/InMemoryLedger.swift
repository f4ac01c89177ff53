public import LedgerEvents

/// A whole ledger in memory, to which facts can be appended. It holds units, each folded with the
/// shared context.
///
/// Use it where there are no projections: to replay a file, to answer questions about the past, in
/// simulations and in tests.
public struct InMemoryLedger {
  private var newUnits: UnitSet
  private var stored = InMemoryUnits()
  private let texts: any FactTexts

  /// An empty ledger.
  ///
  /// - Parameter texts: The texts that the numbers and positions in the facts stand for.
  public init(texts: any FactTexts) {
    self.texts = texts
    newUnits = UnitSet(context: SharedContext(), texts: texts)
  }

  /// Folds facts, which may be in any order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of facts.
  public init(folding facts: [Fact], texts: any FactTexts) {
    self.init(folding: facts, texts: texts, ahead: nil)
  }

  /// Like `init(folding:texts:)`, but somebody else may fold separate units ahead, for example on
  /// several threads. What `foldAhead` does not return is folded here.
  package init(
    folding facts: [Fact], texts: any FactTexts,
    ahead foldAhead: ((SeparateUnits) -> [UnitNumber: FoldedUnit])?
  ) {
    self.init(texts: texts)
    let isSorted = facts.indices.dropFirst().allSatisfy {
      facts[$0 - 1].position < facts[$0].position
    }
    stored.foldAhead = foldAhead
    append(isSorted ? facts : facts.sorted { $0.position < $1.position })
    stored.foldAhead = nil
  }

  /// Folds facts that are known to form a single unit. The result is that of
  /// `init(folding:texts:)`, but the union-find is skipped. The unit cannot be looked up by name,
  /// and no facts can be appended.
  ///
  /// - Complexity: O(*n*) in the number of facts if they are in the fold order.
  public init(foldingAsOne facts: [Fact], texts: any FactTexts) {
    self.init(texts: texts)
    let unit = newUnits.foldAsOne(facts)
    stored.write(
      UnitWrite(unit: 0, absorbed: [], isRegrouped: false), unit, newUnits.context)
  }

  /// Appends facts, in the order of arrival, and returns whether they changed the shared context.
  ///
  /// - Complexity: O(*k*) in the number of facts if they follow in the fold order, otherwise
  ///   O(*n* log *n*) in the facts of the units that they belong to. O(*u*) in the number of units
  ///   if they change the shared context.
  @discardableResult
  public mutating func append(_ facts: [Fact]) -> Bool {
    stored.begin(facts)
    newUnits.append(facts, in: &stored)
    newUnits.foldAll(into: &stored)
    stored.add(factsOf: newUnits)
    stored.checkInvariants()
    let changesContext = !newUnits.change.isEmpty
    newUnits.clear()
    return changesContext
  }

  /// What units share.
  public var context: SharedContext { newUnits.context }

  /// Every unit, in the order of their numbers.
  ///
  /// - Complexity: O(*u* log *u*) in the number of units.
  public var units: [Unit] {
    stored.entries.sorted { $0.key < $1.key }.compactMap(\.value.state)
  }

  /// The unit that an account, device, transaction, original or payment belongs to.
  public func unit(of name: NameNumber) -> Unit? {
    stored.unit(of: name).flatMap { stored.entries[$0]?.state }
  }

  private func unit(of subject: Subject) -> Unit? {
    switch subject {
    case .account(let number), .transaction(let number), .original(let number):
      unit(of: number)
    }
  }

  /// The positions of the facts that can decide what somebody has: the facts of the name's unit,
  /// and those that the shared context depends on.
  ///
  /// - Complexity: O(*n*) in the number of facts.
  public func positions(decidingFor name: NameNumber) -> Set<UInt64> {
    var positions = Set(stored.facts.filter(SharedContext.restsOn).map(\.position))
    if let unit = stored.unit(of: name) {
      positions.formUnion(stored.facts(of: unit).map(\.position))
    }
    return positions
  }
}

// MARK: - Units by number

extension InMemoryLedger {
  /// What the last append changed.
  package var lastChanges: UnitChanges { stored.changes }

  /// A unit by its number; `nil` if there is no such unit.
  ///
  /// Release the value before you append more facts. Otherwise the append has to copy its state.
  package func unit(numbered number: UnitNumber) -> Unit? { stored.entries[number]?.state }

  /// The number of the unit that a name belongs to.
  package func unitNumber(of name: NameNumber) -> UnitNumber? { stored.unit(of: name) }

  /// The number of the unit that a fact belongs to.
  package func unitNumber(of fact: Fact) -> UnitNumber? {
    guard let node = UnitNodes(fact).first else {
      return currentNumber(ofUnit: 0)
    }
    return stored.unit(of: node)
  }

  /// The number of the unit that now contains a former unit; `nil` if no unit ever had that number.
  package func currentNumber(ofUnit unit: UnitNumber) -> UnitNumber? {
    if stored.entries[unit] != nil { return unit }
    return unit == 0 ? nil : stored.unit(of: unit)
  }

  /// How often a joined unit was split again. If you keep numbers of units, look them up again when
  /// this changes.
  package var partingCount: Int { stored.partingCount }

  /// Calls `body` with every unit, in no order.
  package func forEachUnit(_ body: (UnitNumber, Unit) -> Void) {
    for (number, entry) in stored.entries {
      if let state = entry.state { body(number, state) }
    }
  }
}

// MARK: - Answers

extension InMemoryLedger {
  /// What a customer has at a moment; an empty answer if the customer is unknown.
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

  /// The version on offer of a product, which is the highest that events have named.
  ///
  /// - Complexity: O(*u*) in the units that observed the product.
  public func versionOnOffer(
    of product: NameNumber, in environment: StoreEnvironment
  ) -> Name? {
    observations(of: .init(environment: environment, product: product)).onOffer(texts)?.version
  }

  /// What all units observed of a product.
  ///
  /// - Complexity: O(*u*) in the units that observed the product.
  public func observations(of product: Unit.ObservedProduct) -> ProductObservations {
    stored.units(observing: product).reduce(into: ProductObservations()) { all, number in
      guard let unit = stored.entries[number]?.state else { return }
      unit.addObservations(of: product, to: &all, texts: texts)
    }
  }

  /// Believed `occurredAt` of the newest fact that counts in an environment.
  ///
  /// - Complexity: O(*u*) in the number of units.
  public func newestEvent(in environment: StoreEnvironment) -> Int64? {
    var newest: Int64?
    for entry in stored.entries.values {
      guard let found = entry.state?.newestEvent(in: environment) else { continue }
      newest = max(newest ?? .min, found)
    }
    return newest
  }

  /// All findings by the rules of the first table, in order.
  ///
  /// - Complexity: O(*n* log *n*) in the size of all units.
  public var findings: [Finding] {
    var found = LedgerFindings(texts: texts)
    for unit in stored.entries.values.compactMap(\.state) {
      found.addBroken(by: unit, observations(of:))
    }
    return found.sorted
  }

  /// The findings by the rules of the second table that hold at a moment, in order.
  ///
  /// - Complexity: O(*n* log *n*) in the size of all units.
  public func findings(
    at moment: Int64, in environment: StoreEnvironment, thresholds: Thresholds = .standard
  ) -> [Finding] {
    var found = LedgerFindings(texts: texts, thresholds: thresholds)
    found.moments = [(environment, moment)]
    for unit in stored.entries.values.compactMap(\.state) {
      found.addOpen(in: unit, context, observations(of:))
    }
    found.addAbsentDevice(context)
    return found.sorted
  }
}
