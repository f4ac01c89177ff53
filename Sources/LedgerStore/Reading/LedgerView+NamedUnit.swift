package import LedgerEvents
package import LedgerModel

/// A name with the unit that contains it, folded.
package struct NamedUnit {
  package var number: NameNumber
  /// The unit's number among all units of the ledger now. In the past, it may have been another
  /// one.
  package var unitNumber: UnitNumber
  package var unit: Unit
  /// The fold context in which the unit is judged.
  package var context: SharedContext
}

extension LedgerView {
  /// The unit of a name at the clocks; `nil` if no event that they include names it in a way that
  /// connects.
  ///
  /// - Complexity: as ``state(of:)`` for `.now`, otherwise O(*n* log *n*) in the facts of the unit
  ///   and of the fold context.
  package func unit(
    of use: NameUse, at clocks: Clocks
  ) throws(LedgerError) -> NamedUnit? {
    guard let number = try number(of: use.kind, use.name),
      let unitNumber = try foldedUnitNumber(of: number)
    else { return nil }
    guard !clocks.reachAll else {
      guard let unit = try state(of: unitNumber) else { return nil }
      return NamedUnit(number: number, unitNumber: unitNumber, unit: unit, context: context)
    }
    if let known = reader.recent.past, known.use == use, known.clocks == clocks {
      return known.unit
    }
    reader.recent.past = nil
    let ledger = try inMemoryLedger(of: unitNumber, at: clocks)
    guard let unit = ledger.unit(of: number) else { return nil }
    let named = NamedUnit(
      number: number, unitNumber: unitNumber, unit: unit, context: ledger.context)
    reader.recent.past = (use, clocks, named)
    return named
  }

  /// Like ``unit(of:at:)``, but the unit is of use only to say what its customers have at a moment.
  /// Of the past, nothing else is folded.
  ///
  /// - Parameter moment: Store time, in microseconds, at which customers are judged who have no
  ///   later event.
  /// - Complexity: as ``state(of:)`` for `.now`, otherwise O(*n*) in the facts of the unit, and
  ///   O(*m* log *m*) in those on which it depends what customers have.
  package func unitForEntitlements(
    of use: NameUse, at clocks: Clocks, moment: Int64
  ) throws(LedgerError) -> NamedUnit? {
    if clocks.reachAll { return try unit(of: use, at: clocks) }
    if let known = reader.recent.past, known.use == use, known.clocks == clocks {
      return known.unit
    }
    guard let number = try number(of: use.kind, use.name),
      let unitNumber = try foldedUnitNumber(of: number)
    else { return nil }
    let facts = try facts(of: unitNumber, at: clocks, entitlementsAt: moment)
    guard facts.contains(where: { UnitNodes($0).contains(number) }) else { return nil }
    let context = try context(at: clocks)
    let unit = UnitSet.fold(connected: facts, context: context, texts: texts)
    try texts.check()
    return NamedUnit(number: number, unitNumber: unitNumber, unit: unit, context: context)
  }

  /// The positions of the events of the customer behind an account, by what is known at the clocks.
  /// The events of an account that is linked later belong to the customer only from then on.
  ///
  /// - Parameter wanted: The positions of the unit that are asked about, which the clocks include;
  ///   `nil` asks about all of its events.
  /// - Complexity: O(*n* log *n*) in the facts of the customer's unit.
  package func positions(
    ofCustomer account: NameNumber, at clocks: Clocks = .now,
    shared: SharedChainEvents = .ofEachHolder, wanted: Set<UInt64>? = nil
  ) throws(LedgerError) -> Set<UInt64> {
    guard let unit = try unitNumber(of: account) else { return [] }
    // Whose an event is depends on who holds what.
    var facts = try facts(of: unit, at: clocks, entitlementsAt: wanted == nil ? nil : .max)
    if let wanted {
      facts = facts.merged(with: try others(wanted, than: facts))
      if Self.areOwn(wanted, account, facts) { return wanted }
    }
    let positions = Unit.positions(
      ofCustomer: account, among: facts, shared: shared, wanted: wanted,
      context: try context(at: clocks), texts: texts)
    try texts.check()
    return positions
  }

  /// Whether events are a customer's for the simple reason that they state its account, which was
  /// always the same customer's.
  private static func areOwn(
    _ positions: Set<UInt64>, _ account: NameNumber, _ facts: [Fact]
  ) -> Bool {
    facts.allSatisfy { fact in
      switch fact.kind {
      case .accountErased, .accountTransferred: false
      default: fact.account == account || !positions.contains(fact.position)
      }
    }
  }

  /// The facts at wanted positions, without those that are there, in the order of their positions.
  private func others(
    _ wanted: Set<UInt64>, than facts: [Fact]
  ) throws(LedgerError) -> [Fact] {
    var others: [Fact] = []
    for position in wanted.subtracting(facts.map(\.position)).sorted() {
      others.append(try fact(at: position))
    }
    return others
  }
}
