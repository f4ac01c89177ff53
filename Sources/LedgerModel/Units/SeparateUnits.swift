import LedgerEvents

/// The units of a set that can be folded one by one, on any thread: those with new facts that were
/// neither joined with others nor split from them.
///
/// Only its fold shows whether such a unit shares state of the absent device. If it does, the set
/// decides what becomes of it.
package struct SeparateUnits: Sendable {
  /// In ascending order.
  package var units: [UnitNumber]
  private let facts: [Fact]
  private let indices: [UnitNumber: [UInt32]]
  /// The context that all units share.
  package let context: SharedContext
  private let change: ContextChange
  private let journalRowsMin: Int?

  fileprivate init(of set: UnitSet) {
    units = set.indicesByUnit.keys.filter { set.absorbedByUnit[$0] == nil }.sorted()
    facts = set.newFacts
    indices = set.indicesByUnit
    context = set.context
    change = set.change
    journalRowsMin = set.journalRowsMin
  }

  /// The number of a unit's new facts.
  package func newFactCount(of unit: UnitNumber) -> Int { indices[unit]?.count ?? 0 }

  /// Folds units with texts that one thread uses.
  package func folder(_ texts: any FactTexts) -> SeparateFolder {
    SeparateFolder(
      units: self,
      fold: UnitFold(
        context: FoldContext(context: context, texts: texts), change: change,
        journalRowsMin: journalRowsMin))
  }

  fileprivate func newFacts(of unit: UnitNumber) -> [Fact] {
    (indices[unit] ?? []).map { facts[Int($0)] }
  }
}

extension UnitSet {
  /// The units that can be folded one by one. Let go of them before the set grows: with two owners,
  /// its facts and its context would be copied.
  ///
  /// - Complexity: O(*u* log *u*) in the units with new facts.
  func separateUnits() -> SeparateUnits? {
    if !parted.isEmpty || !coupled.isEmpty { return nil }
    return SeparateUnits(of: self)
  }
}

/// Folds separate units. Used by one thread at a time.
package struct SeparateFolder {
  private let units: SeparateUnits
  private let fold: UnitFold

  fileprivate init(units: SeparateUnits, fold: UnitFold) {
    self.units = units
    self.fold = fold
  }

  /// Folds a unit as the set itself would; `nil` if the set has to do it, because the unit may have
  /// to be split. Check the texts for a failure afterwards.
  ///
  /// - Parameters:
  ///   - stored: The unit's stored state; `nil` if nothing is stored for it.
  ///   - storedFacts: Reads the stored facts of the unit, if its state cannot be continued.
  /// - Complexity: O(*k*) in the new facts if the state is continued, otherwise O(*n* log *n*) in
  ///   all facts of the unit.
  package func fold<Failure: Error>(
    _ unit: UnitNumber, from stored: consuming StoredState?,
    _ storedFacts: () throws(Failure) -> [Fact]
  ) throws(Failure) -> FoldedUnit? {
    let newFacts = units.newFacts(of: unit)
    if var state = stored.take(), let folded = fold.continued(&state, with: newFacts) {
      return folded
    }
    let known = try storedFacts()
    if known.isEmpty { return FoldedUnit(unit: fold.fold(newFacts)) }
    let all = known + newFacts
    // Only the absent device joins units that share no name, so that they may have to be split.
    if all.contains(where: { $0.device == 0 }) { return nil }
    return FoldedUnit(unit: fold.fold(all))
  }
}
