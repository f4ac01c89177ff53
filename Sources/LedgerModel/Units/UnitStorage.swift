package import LedgerEvents

/// The number of a unit: that of its first name. A joined unit has the smallest of its numbers.
///
/// The number therefore does not depend on how the facts were divided into batches. Unit 0 has the
/// facts without a name that connects.
package typealias UnitNumber = NameNumber

/// A union-find over names: which names belong to one unit.
package protocol UnionFind: ~Escapable {
  /// The error that reading can throw.
  associatedtype Failure: Error

  /// The parent of a name in the union-find; `nil` if no fact has named it.
  mutating func parent(of name: NameNumber) throws(Failure) -> NameNumber?

  /// The unit that all of a fact's names lead to, if that is cheap to find; `nil` if the names have
  /// to be looked up one by one.
  ///
  /// Nearly all facts use names that are known and connected. One call for all of a fact's names is
  /// several times as fast as one call for each.
  func commonUnit(of names: UnitNodes) -> UnitNumber?

  /// Sets the parent of a name.
  mutating func setParent(_ parent: NameNumber, of name: NameNumber) throws(Failure)

  /// Throws an error, because the stored parents do not lead to a unit.
  func failDamaged() throws(Failure) -> Never
}

extension UnionFind where Self: ~Escapable {
  /// The unit of a name; `nil` if no fact names it in a way that connects.
  ///
  /// A name may lead to a unit with a larger number, but units only join smaller ones. So after the
  /// first step, a larger parent means that the union-find is damaged.
  ///
  /// - Complexity: O(α(*n*)) amortized.
  @inlinable
  package mutating func findUnit(of name: NameNumber) throws(Failure) -> UnitNumber? {
    guard let parent = try parent(of: name) else { return nil }
    if parent == name { return name }
    var root = parent
    // No name has the number 0, so unit 0 is never absorbed.
    while root != 0 {
      guard let next = try self.parent(of: root), next <= root else { try failDamaged() }
      if next == root { break }
      root = next
    }
    if root != parent { try setParent(root, of: name) }
    return root
  }

  /// The number of the unit that now contains `unit`.
  mutating func root(of unit: UnitNumber) throws(Failure) -> UnitNumber {
    // No name leads to unit 0.
    unit == 0 ? 0 : try findUnit(of: unit) ?? unit
  }
}

/// Where a `UnitSet` finds what was folded before: the states of units and their facts, in addition
/// to the union-find.
///
/// There are two: the in-memory ledger, and the projections of a store.
package protocol UnitStorage: UnionFind, ~Escapable {
  /// The stored state of a unit; `nil` if nothing is stored for it.
  ///
  /// A storage in memory gives up the state, so that it can grow in place. `UnitWriter.write`
  /// stores it again.
  mutating func takeState(of unit: UnitNumber) throws(Failure) -> StoredState?

  /// The stored facts of a unit and of the units that it absorbed, in any order.
  mutating func facts(
    of unit: UnitNumber, absorbing others: [UnitNumber]
  ) throws(Failure) -> [Fact]

  /// Moves the stored facts of units to the units that these were split into.
  mutating func part(_ units: [UnitNumber], into parts: [UnitNumber: [Fact]])

  /// The stored units that touch a piece of state of the absent device.
  mutating func units(
    touching coupling: Coupling
  ) throws(Failure) -> [(unit: UnitNumber, writes: Bool)]

  /// Every stored unit that touches any state of the absent device.
  mutating func coupledUnits() throws(Failure) -> [UnitNumber]

  /// Throws if a text that a fold asked for could not be read.
  func checkTexts() throws(Failure)
}

/// A storage that keeps what is folded.
package protocol UnitWriter: UnitStorage, ~Escapable {
  /// Offers units that the storage may fold ahead, for example on several threads.
  mutating func willFold(_ units: SeparateUnits?) throws(Failure)

  /// What the storage has folded ahead of a unit; `nil` if the set has to fold it. Asked once for
  /// each unit with new facts, in ascending order.
  mutating func foldedAhead(_ unit: UnitNumber) throws(Failure) -> UnitAhead?

  /// The stored units whose state or stored answers depend on what changed, besides those that are
  /// folded anyway.
  mutating func units(
    concernedBy change: ContextChange, besides isFolded: (UnitNumber) -> Bool
  ) throws(Failure) -> [UnitNumber]

  /// Stores the state of a unit. It replaces what was stored for it and for the units that it
  /// absorbed.
  mutating func write(
    _ write: UnitWrite, _ state: Unit, _ context: SharedContext
  ) throws(Failure)
}

extension UnitWriter where Self: ~Escapable {
  package mutating func willFold(_ units: SeparateUnits?) {}
  package mutating func foldedAhead(_ unit: UnitNumber) -> UnitAhead? { nil }
}

/// A unit that a storage has folded ahead.
package enum UnitAhead: Sendable {
  /// The storage has also stored it. It touches no state of the absent device.
  case written
  case folded(FoldedUnit)
}

/// Which unit is written.
package struct UnitWrite {
  package var unit: UnitNumber
  /// The units that it absorbed, for which nothing stays stored.
  package var absorbed: [UnitNumber]
  /// Whether couplings joined it or it was split from others. More facts can regroup it, so a merge
  /// that is cut short must not leave it behind.
  package var isRegrouped: Bool
  /// The new facts, if the state is the stored one continued with them; `nil` if all of the unit's
  /// facts were folded.
  package var advancedWith: [Fact]?
  /// Whether the state went back first, because one of these facts was late. Then rows that were
  /// folded after it can be other ones now, or be gone.
  package var wentBack = false
  /// Whether something changed in the context that the unit's answers look up.
  package var restsOnChange = false
}

/// The stored state of a unit, and the position up to which it is folded.
package struct StoredState {
  /// The state contains every fact of the unit up to this position.
  package var foldedThrough: UInt64
  /// `nil` if the state cannot be read, because another version wrote it.
  package var unit: Unit?

  package init(foldedThrough: UInt64, unit: Unit?) {
    self.foldedThrough = foldedThrough
    self.unit = unit
  }
}
