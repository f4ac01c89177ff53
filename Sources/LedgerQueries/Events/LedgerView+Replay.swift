public import LedgerEvents
package import LedgerModel
public import LedgerStore

/// A part of a ledger to replay.
public struct ReplaySlice: Sendable {
  /// Events of this customer.
  public var account: Name?
  /// Events that state this transaction.
  public var transaction: Name?
  /// Events about product pages of this item: the digits of its Apple ID.
  public var storeItem: String?
  /// Positions, both included.
  public var from: UInt64 = 1
  public var to: UInt64 = .max

  public init() {}
}

/// The events that a replay folds, and which of them are its steps.
public struct ReplayEvents: Sendable {
  /// By position: the steps, and the events that they depend on.
  public let events: [RecordedEvent]
  /// The positions of the steps.
  public var steps: Set<UInt64>
  /// The positions of events that the steps depend on but are not connected with: the shared
  /// context, and other customers' content that theirs is judged against. A replay does not report
  /// what these events change.
  public var background: Set<UInt64>
  /// The events as facts, if the source has them; `nil` if they are to be made of the events.
  package let numbered: NumberedEvents?

  public init(events: [RecordedEvent], steps: Set<UInt64>, background: Set<UInt64> = []) {
    self.init(events, numbered: nil, steps: steps, background: background)
  }

  fileprivate init(
    _ events: [RecordedEvent], numbered: NumberedEvents?, steps: Set<UInt64>,
    background: Set<UInt64>
  ) {
    self.events = events
    self.numbered = numbered
    self.steps = steps
    self.background = background
    assert(numbered.map { $0.facts.map(\.position) == events.map(\.position) } ?? true)
  }

  /// The events that satisfy `isIncluded`.
  ///
  /// - Complexity: O(*n*).
  public func filter(_ isIncluded: (RecordedEvent) -> Bool) -> ReplayEvents {
    let events = events.filter(isIncluded)
    let positions = Set(events.map(\.position))
    return ReplayEvents(
      events, numbered: numbered?.filter(positions.contains),
      steps: steps.intersection(positions), background: background.intersection(positions))
  }
}

extension LedgerView {
  /// The events of a slice with everything that affects their outcome: the events connected with
  /// them, and the shared context.
  ///
  /// - Complexity: O(*n* log *n*) in the positions asked for, in the events of the units that the
  ///   slice touches, and in those that the shared context depends on. If these units publish
  ///   versions or install content with a digest, the states of all units that observed the same
  ///   products are read, too. Everything that is read is kept in memory.
  /// - Throws: ``LedgerError``.
  public func replayEvents(_ slice: ReplaySlice) throws(LedgerError) -> ReplayEvents {
    let ground = try ground(of: slice)
    let facts = ground.sortedFacts
    var events: [RecordedEvent] = []
    events.reserveCapacity(facts.count)
    var names: [NameNumber: NameUse] = [:]
    for fact in facts {
      let record = try log.record(at: fact.position)
      events.append(try log.event(of: record, addingTo: &names))
    }
    return ReplayEvents(
      events, numbered: NumberedEvents(events, facts: facts, names: names), steps: ground.steps,
      background: ground.background)
  }

  /// The positions of a slice's events and of those that affect their outcome: as
  /// ``replayEvents(_:)``, without the events themselves.
  ///
  /// - Complexity: as ``replayEvents(_:)``.
  /// - Throws: ``LedgerError``.
  package func replayPositions(_ slice: ReplaySlice) throws(LedgerError) -> ReplayPositions {
    let ground = try ground(of: slice)
    return ReplayPositions(
      positions: ground.sortedFacts.map(\.position), steps: ground.steps,
      background: ground.background)
  }

  private func ground(of slice: ReplaySlice) throws(LedgerError) -> ReplayGround {
    var query = EventsQuery()
    query.account = slice.account
    query.transaction = slice.transaction
    query.storeItem = slice.storeItem
    query.from = slice.from
    query.to = slice.to
    var steps: Set<UInt64> = []
    try matches(of: query) { position in
      steps.insert(position)
      return true
    }
    var ground = ReplayGround(steps)
    try ground.readUnits(self)
    try ground.readContext(self)
    try ground.readObservers(self)
    return ground
  }
}

/// The positions of the events of a slice.
package struct ReplayPositions: Sendable {
  /// Ascending: the positions of the steps and of the events they depend on.
  package var positions: [UInt64]
  /// The positions of the steps.
  package var steps: Set<UInt64>
  /// The positions of events not connected with the steps, as in ``ReplayEvents``.
  package var background: Set<UInt64>
}

/// What the steps of a replay depend on, gathered unit by unit.
private struct ReplayGround {
  let steps: Set<UInt64>
  /// The position of the last step. Later events have no effect.
  private let last: UInt64
  private var units: Set<UnitNumber> = []
  /// The facts of the units of the steps, of the shared context, and of the observers.
  private var facts: [UInt64: Fact] = [:]
  private(set) var background: Set<UInt64> = []

  init(_ steps: Set<UInt64>) {
    self.steps = steps
    last = steps.max() ?? 0
  }

  /// Everything gathered, in the order of positions.
  var sortedFacts: [Fact] { facts.values.sorted { $0.position < $1.position } }

  /// Reads the whole units of the steps.
  mutating func readUnits(_ view: LedgerView) throws(LedgerError) {
    for position in steps.sorted() where facts[position] == nil {
      let fact = try view.fact(at: position)
      let unit = try Self.unit(of: fact, view)
      guard units.insert(unit).inserted else { continue }
      for fact in try view.facts(of: unit) where fact.position <= last {
        facts[fact.position] = fact
      }
    }
  }

  /// Reads what units share. A fact that only states another environment is left out: it belongs to
  /// another customer, and has no effect in the environments of the steps.
  mutating func readContext(_ view: LedgerView) throws(LedgerError) {
    guard last > 0 else { return }
    for fact in try view.contextFacts()
    where fact.position <= last && facts[fact.position] == nil && SharedContext.restsOn(fact) {
      background.insert(fact.position)
      facts[fact.position] = fact
    }
  }

  /// Reads the units that the content of the steps is judged against: of all that observed the same
  /// products, those whose events decide in the end. If one of these events arrived late, an
  /// earlier event that stated the same is not read, and the finding appears at a later step.
  mutating func readObservers(_ view: LedgerView) throws(LedgerError) {
    let ledger = InMemoryLedger(folding: Array(facts.values), texts: view.texts)
    try view.texts.check()
    var products: Set<NameNumber> = []
    for unit in ledger.units {
      products.formUnion(unit.judgedProducts)
      products.formUnion(unit.unheldProducts.map(\.product))
    }
    for product in products.sorted() {
      for environment in StoreEnvironment.allCases {
        let observed = Unit.ObservedProduct(environment: environment, product: product)
        for unit in try deciding(observed, ledger.context, view) where units.insert(unit).inserted {
          for fact in try view.facts(of: unit)
          where fact.position <= last && facts[fact.position] == nil {
            background.insert(fact.position)
            facts[fact.position] = fact
          }
        }
      }
    }
  }

  /// The units whose events decide what others are judged against.
  private func deciding(
    _ observed: Unit.ObservedProduct, _ context: SharedContext, _ view: LedgerView
  ) throws(LedgerError) -> Set<UnitNumber> {
    var all = ProductObservations()
    var deciding: Set<UnitNumber> = []
    for unit in try view.observers(of: observed) where !units.contains(unit) {
      guard var state = try view.state(of: unit) else { continue }
      let found = state.observations(of: observed, texts: view.texts)
      // Events after the last step may hide what was there before it.
      if found.positions.contains(where: { $0 > last }) {
        let known = try view.facts(of: unit).filter { $0.position <= last }
        state = UnitSet.fold(connected: known, context: context, texts: view.texts)
      }
      if state.hasContentOfNobody(observed) { deciding.insert(unit) }
      state.addObservations(of: observed, to: &all, texts: view.texts)
    }
    for position in all.positions {
      deciding.insert(try Self.unit(of: view.fact(at: position), view))
    }
    try view.texts.check()
    return deciding
  }

  /// The unit of a fact, joined with all units that share state of the absent device with it.
  private static func unit(of fact: Fact, _ view: LedgerView) throws(LedgerError) -> UInt32 {
    // Unit 0 holds the facts that name nothing that connects.
    guard let node = UnitNodes(fact).first else {
      _ = try view.state(of: 0)
      return 0
    }
    guard let unit = try view.foldedUnitNumber(of: node) else {
      throw LedgerError(
        .rebuildNeeded, "The projections do not know the unit of position \(fact.position).",
        position: fact.position)
    }
    return unit
  }
}
