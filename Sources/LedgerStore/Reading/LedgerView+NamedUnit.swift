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
  /// - Parameter entitlementsAt: The store time, in microseconds, of a question about nothing but
  ///   what customers have. Of the past, nothing else is then folded, and the unit is of no other
  ///   use.
  /// - Complexity: as ``state(of:)`` for `.now`, otherwise O(*n* log *n*) in the facts of the unit
  ///   and of the fold context.
  package func unit(
    of use: NameUse, at clocks: Clocks, entitlementsAt: Int64? = nil
  ) throws(LedgerError) -> NamedUnit? {
    guard let number = try number(of: use.kind, use.name),
      let unitNumber = try foldedUnitNumber(of: number)
    else { return nil }
    guard !clocks.reachAll else {
      guard let unit = try state(of: unitNumber) else { return nil }
      return NamedUnit(number: number, unitNumber: unitNumber, unit: unit, context: context)
    }
    // A unit of all facts serves for every question.
    if let known = reader.recent.past, known.use == use, known.clocks == clocks,
      known.entitlementsAt == nil || known.entitlementsAt == entitlementsAt
    {
      return known.unit
    }
    reader.recent.past = nil
    let ledger = try inMemoryLedger(of: unitNumber, at: clocks, entitlementsAt: entitlementsAt)
    guard let unit = ledger.unit(of: number) else { return nil }
    let named = NamedUnit(
      number: number, unitNumber: unitNumber, unit: unit, context: ledger.context)
    reader.recent.past = (use, clocks, entitlementsAt, named)
    return named
  }

  /// What is a unit now, at the clocks and folded as one in a context
  /// (`UnitSet.fold(connected:context:texts:)`); see ``facts(of:at:entitlementsAt:)``.
  ///
  /// - Complexity: O(*n* log *n*) in the facts of the unit.
  package func unit(
    numbered unit: UnitNumber, at clocks: Clocks, entitlementsAt: Int64? = nil,
    _ context: SharedContext
  ) throws(LedgerError) -> Unit {
    let facts = try facts(of: unit, at: clocks, entitlementsAt: entitlementsAt)
    let unit = UnitSet.fold(connected: facts, context: context, texts: texts)
    try texts.check()
    return unit
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
    if let wanted { facts = facts.merged(with: try others(wanted, than: facts)) }
    let positions = Unit.positions(
      ofCustomer: account, among: facts, shared: shared, wanted: wanted,
      context: try context(at: clocks), texts: texts)
    try texts.check()
    return positions
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
