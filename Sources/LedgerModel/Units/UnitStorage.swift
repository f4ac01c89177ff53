package import LedgerEvents

/// What a unit is called: by the first name that was in it, of joined units by the smaller number.
///
/// So its number does not depend on how the facts were cut into batches. Unit 0 is that of the
/// facts without a name that connects.
package typealias UnitNumber = NameNumber

/// A union-find over names: which names belong to one unit.
package protocol UnionFind: ~Escapable {
  /// What reading can fail with.
  associatedtype Failure: Error

  /// The parent of a name in the union-find; nil where no fact has named it.
  mutating func parent(of name: NameNumber) throws(Failure) -> NameNumber?

  /// The unit that all of a fact's names lead to, where that takes little to find; nil where the
  /// names have to be looked up one by one. Nearly all facts name what is known and connected, and
  /// one call for all of their names is several times as fast as one for each.
  func commonUnit(of names: UnitNodes) -> UnitNumber?

  /// Gives a name a parent.
  mutating func setParent(_ parent: NameNumber, of name: NameNumber) throws(Failure)

  /// Fails, because the parents that are stored do not lead to a unit.
  func failDamaged() throws(Failure) -> Never
}

extension UnionFind where Self: ~Escapable {
  /// The unit of a name; nil where no fact names it in a way that connects.
  ///
  /// A name may lead to a unit with a larger number, but units join smaller ones only: whatever
  /// does not descend behind the first step is damaged.
  ///
  /// - Complexity: O(α(*n*)) amortized.
  @inlinable
  package mutating func findUnit(of name: NameNumber) throws(Failure) -> UnitNumber? {
    guard let parent = try parent(of: name) else { return nil }
    if parent == name { return name }
    var root = parent
    // No name has the number 0: the unit of the facts without one is never absorbed.
    while root != 0 {
      guard let next = try self.parent(of: root), next <= root else { try failDamaged() }
      if next == root { break }
      root = next
    }
    if root != parent { try setParent(root, of: name) }
    return root
  }

  /// What a unit has become by now.
  mutating func root(of unit: UnitNumber) throws(Failure) -> UnitNumber {
    // Unit 0 has no name that would find it.
    unit == 0 ? 0 : try findUnit(of: unit) ?? unit
  }
}

/// Where a `UnitSet` finds what was folded before: the states of units and their facts, beside the
/// union-find.
///
/// There are two: the in-memory ledger, and the projections of a store.
package protocol UnitStorage: UnionFind, ~Escapable {
  /// The stored state of a unit; nil where nothing is stored of it.
  ///
  /// A storage in memory gives the state away, so that it grows in place: a writer gets it back.
  mutating func takeState(of unit: UnitNumber) throws(Failure) -> StoredState?

  /// The stored facts of a unit and of the units that it absorbed, in any order.
  mutating func facts(
    of unit: UnitNumber, absorbing others: [UnitNumber]
  ) throws(Failure) -> [Fact]

  /// Moves the stored facts of units to the units that these were parted into.
  mutating func part(_ units: [UnitNumber], into parts: [UnitNumber: [Fact]])

  /// The stored units that touch a piece of state of the absent device.
  mutating func units(
    touching coupling: Coupling
  ) throws(Failure) -> [(unit: UnitNumber, writes: Bool)]

  /// Every stored unit that touches any state of the absent device.
  mutating func coupledUnits() throws(Failure) -> [UnitNumber]

  /// Fails where a text that a fold asked for could not be read.
  func checkTexts() throws(Failure)
}

/// A storage that keeps what is folded.
package protocol UnitWriter: UnitStorage, ~Escapable {
  /// The stored units whose state, or what is stored of their answers, rests on what changed.
  mutating func units(concernedBy change: ContextChange) throws(Failure) -> [UnitNumber]

  /// Keeps the state of a unit in place of what was stored of it and of those that it absorbed.
  mutating func write(
    _ write: UnitWrite, _ state: Unit, _ context: SharedContext
  ) throws(Failure)
}

/// Which unit is written.
package struct UnitWrite {
  package var unit: UnitNumber
  /// The units that it absorbed, of which nothing stays stored.
  package var absorbed: [UnitNumber]
  /// Couplings joined it, or it was parted from others. With more facts it may be another one, so
  /// a merge that is cut short must not leave it behind.
  package var isRegrouped: Bool
}

/// The state of a unit as it was stored, and how far it goes.
package struct StoredState {
  /// Every fact of the unit up to this position is in the state.
  package var foldedThrough: UInt64
  /// `nil` where the state cannot be read, because another version wrote it.
  package var unit: Unit?

  package init(foldedThrough: UInt64, unit: Unit?) {
    self.foldedThrough = foldedThrough
    self.unit = unit
  }
}
