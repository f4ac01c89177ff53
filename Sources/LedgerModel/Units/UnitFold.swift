import LedgerEvents

/// A unit with its new facts, and how it came to them.
package struct FoldedUnit: Sendable {
  package var unit: Unit
  /// The new facts, if the state is the stored one continued with them; `nil` if all of the unit's
  /// facts were folded.
  package var advancedWith: [Fact]?
  /// Whether the state went back first, because a fact was late.
  package var wentBack = false

  /// Whether the state equals what is stored.
  var isStored: Bool { advancedWith?.isEmpty ?? false }
}

/// How a set folds one unit, whatever else is in the set.
struct UnitFold {
  let context: FoldContext
  /// What the new facts of all units changed in the context.
  let change: ContextChange
  /// See `UnitSet.journalRowsMin`.
  let journalRowsMin: Int?

  /// Folds all facts of a unit, given in any order.
  ///
  /// - Complexity: O(*n* log *n*) in their number.
  func fold(_ facts: [Fact]) -> Unit {
    // There are rarely more rows than facts.
    let keepsJournal = journalRowsMin.map { facts.count > $0 } ?? false
    return Unit.fold(facts, context, keepsJournal: keepsJournal)
  }

  /// Continues a unit from its stored state; `nil` if it has to be folded again from all of its
  /// facts. The stored state is unusable afterwards.
  ///
  /// The fold can continue if the new facts follow the stored ones, or the state can go back to
  /// before them, and nothing changed in the context that the state depends on. A unit that shares
  /// state of the absent device does not go back, because a late fact can show that it never did.
  ///
  /// - Parameter newFacts: In any order. The state may contain some, because a merge that was cut
  ///   short has written states that are ahead of its checkpoint.
  /// - Complexity: O(*k*) in the new facts, and in the folded ones after the first of them.
  func continued(_ stored: inout StoredState, with newFacts: [Fact]) -> FoldedUnit? {
    let position = stored.foldedThrough
    let isAhead = newFacts.contains { $0.position <= position }
    let facts = isAhead ? newFacts.filter { $0.position > position } : newFacts
    let sorted = facts.inFoldOrder(context.texts)
    let isLate = sorted.first.map { stored.unit?.isLate($0, context.texts) ?? false } ?? false
    if isLate, !(stored.unit?.couplings.isEmpty ?? true) { return nil }
    guard goOn(from: &stored, with: sorted), let unit = stored.unit else { return nil }
    return FoldedUnit(unit: unit, advancedWith: facts, wentBack: isLate)
  }

  /// Continues a stored state with new facts, in the fold order. Returns false if they reach back,
  /// or if something changed that the state depends on.
  private func goOn(from stored: inout StoredState, with facts: [Fact]) -> Bool {
    if !change.isEmpty, stored.unit?.isAffected(by: change) ?? true { return false }
    if facts.isEmpty { return stored.unit != nil }
    var keepsJournal = false
    if let rowsMin = journalRowsMin, let unit = stored.unit {
      keepsJournal = unit.mayKeepJournal(rowsMin: rowsMin)
    }
    return stored.unit?.advance(facts, context, keepsJournal: keepsJournal) ?? false
  }
}
