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

  /// The positions of the events of the customer behind an account, by what is known at the clocks.
  /// The events of an account that is linked later belong to the customer only from then on.
  ///
  /// - Complexity: O(*n* log *n*) in the facts of the customer's unit.
  package func positions(
    ofCustomer account: NameNumber, at clocks: Clocks = .now,
    shared: SharedChainEvents = .ofEachHolder
  ) throws(LedgerError) -> Set<UInt64> {
    guard let unit = try unitNumber(of: account) else { return [] }
    let positions = Unit.positions(
      ofCustomer: account, among: try facts(of: unit, at: clocks), shared: shared,
      context: try context(at: clocks), texts: texts)
    try texts.check()
    return positions
  }
}
