import LedgerEvents

/// New facts, grouped into units on top of the stored units. This is the only driver of the fold.
///
/// A **unit** is a connected component of the event graph. Two facts belong to one unit if they
/// share a name (`UnitNodes`). Two units become one if they touch the same piece of state of the
/// absent device and either of them writes it (`Coupling`). The set finds the unit of each fact
/// with a union-find over names, joins units, and folds them. If a unit's new facts follow its
/// stored state, the fold continues from that state. Otherwise all of the unit's facts are folded
/// again.
///
/// What was folded before is in a `UnitStorage`, which is passed to every call because views of a
/// store do not outlive a question. A set that writes folds everything with `foldAll(into:)`. A set
/// that only reads folds what is asked for, with `state(of:in:)`.
package struct UnitSet {
  let texts: any FactTexts
  /// The context that units share, including the new facts.
  package internal(set) var context: SharedContext
  /// What the new facts changed in the context.
  package internal(set) var change = ContextChange()
  /// The indices of the new facts that the context depends on.
  package internal(set) var contextIndices: [UInt32] = []

  @usableFromInline var newFacts: [Fact] = []
  /// The indices of the new facts by unit, in any order.
  @usableFromInline var indicesByUnit: [UnitNumber: [UInt32]] = [:]
  /// By unit: the units that it absorbed, which are no longer units.
  @usableFromInline var absorbedByUnit: [UnitNumber: [UnitNumber]] = [:]
  /// All units that were absorbed.
  @usableFromInline var absorbed: Set<UnitNumber> = []
  /// States that differ from what is stored, until more facts come.
  var folded: [UnitNumber: Unit] = [:]
  /// Units known to touch state of the absent device, with their states.
  var coupled: [UnitNumber: Unit] = [:]
  /// Units with changes that are known to touch none, whatever is stored about them.
  var uncoupled: Set<UnitNumber> = []
  /// By unit that was split from others: its stored facts, which replace what is stored. A unit
  /// that became part of another has none.
  package internal(set) var parted: [UnitNumber: [Fact]] = [:]
  /// The units that couplings joined or that were split. More facts can regroup them.
  var regrouped: Set<UnitNumber> = []
  /// By unit that was continued from its stored state: the facts that continued it.
  var advances: [UnitNumber: [Fact]] = [:]
  /// Those of these units that went back first, because a fact was late.
  var wentBack: Set<UnitNumber> = []
  /// States of more rows keep what they need to go back when facts are late; none does if it is
  /// `nil`. Of use only if the storage gives up the very states that were written.
  package var journalRowsMin: Int?
  /// Whether a set that only reads has joined units by their couplings.
  var isJoined = false
  private var foldContext: FoldContext?

  /// - Parameter context: The shared context of everything that is stored.
  package init(context: SharedContext, texts: any FactTexts) {
    self.context = context
    self.texts = texts
  }

  /// The new facts, in the order of arrival.
  package var facts: [Fact] { newFacts }

  /// The units that have new facts or were split from others, in order.
  package var units: [UnitNumber] {
    if parted.isEmpty { return indicesByUnit.keys.sorted() }
    return Set(indicesByUnit.keys).union(parted.keys).filter { !absorbed.contains($0) }.sorted()
  }

  /// The indices of each unit's new facts, in any order.
  package var factIndices: [UnitNumber: [UInt32]] { indicesByUnit }

  /// The units that others absorbed, in any order.
  package var absorbedUnits: Set<UnitNumber> { absorbed }

  /// The units that absorbed others.
  package var absorbingUnits: [UnitNumber] { Array(absorbedByUnit.keys) }

  /// The units that `unit` absorbed.
  package func units(absorbedBy unit: UnitNumber) -> [UnitNumber] { absorbedByUnit[unit] ?? [] }

  /// Whether a unit was absorbed by another.
  package func isAbsorbed(_ unit: UnitNumber) -> Bool { absorbed.contains(unit) }

  /// Whether the new facts may change a stored unit.
  package func touches(_ unit: UnitNumber) -> Bool {
    indicesByUnit[unit] != nil || absorbedByUnit[unit] != nil || absorbed.contains(unit)
      || parted[unit] != nil || !change.isEmpty
  }

  /// The new facts of a unit, in the order of arrival.
  ///
  /// - Complexity: O(*k*) in their number, or O(*k* log *k*) if the unit absorbed others.
  package func newFacts(of unit: UnitNumber) -> [Fact] {
    guard var indices = indicesByUnit[unit] else { return [] }
    if absorbedByUnit[unit] != nil { indices.sort() }
    return indices.map { newFacts[Int($0)] }
  }

  /// The new facts that the context depends on, in the order of arrival.
  package var contextFacts: [Fact] { contextIndices.map { newFacts[Int($0)] } }

  /// What folds share. It is created again after the context has changed.
  mutating func sharedFoldContext() -> FoldContext {
    if let foldContext { return foldContext }
    let made = FoldContext(context: context, texts: texts)
    foldContext = made
    return made
  }

  /// Adds facts to the context, and notes which of them it depends on.
  @usableFromInline
  mutating func extendContext(with facts: [Fact]) {
    // Another reference to the context would force a copy of it.
    foldContext = nil
    var newIndex = UInt32(newFacts.count)
    let facts = facts.span
    for index in facts.indices {
      if context.mayConcern(facts[index]) {
        if context.concerns(facts[index]) { contextIndices.append(newIndex) }
        context.extend(with: facts[index], texts, &change)
      }
      newIndex += 1
    }
  }

  /// Forgets states that more facts may have changed.
  @usableFromInline
  mutating func forgetStates() {
    folded.removeAll(keepingCapacity: true)
    coupled.removeAll(keepingCapacity: true)
    uncoupled.removeAll(keepingCapacity: true)
    advances.removeAll(keepingCapacity: true)
    wentBack.removeAll(keepingCapacity: true)
    isJoined = false
  }

  /// Forgets the new facts and their effects, once they are stored. The context stays.
  mutating func clear() {
    forgetStates()
    newFacts.removeAll()
    contextIndices.removeAll(keepingCapacity: true)
    indicesByUnit.removeAll(keepingCapacity: true)
    absorbedByUnit.removeAll(keepingCapacity: true)
    absorbed.removeAll(keepingCapacity: true)
    parted.removeAll()
    regrouped.removeAll()
    change = ContextChange()
  }
}

extension UnitSet {
  /// Forgets that a unit was continued.
  mutating func forgetAdvance(of unit: UnitNumber) {
    advances[unit] = nil
    wentBack.remove(unit)
  }
}

// MARK: - The unit of a fact

extension UnitSet {
  /// Adds new facts, in the order of arrival, to the context and each to its unit.
  ///
  /// - Complexity: O(*k* α(*n*)) for *k* facts. A late fact that the context depends on also costs
  ///   O(*m*) in the context's entries after it.
  @inlinable
  package mutating func append<Storage: UnitStorage & ~Escapable>(
    _ facts: [Fact], in storage: inout Storage
  ) throws(Storage.Failure) {
    extendContext(with: facts)
    try storage.checkTexts()
    forgetStates()
    let count = newFacts.count
    // The first array is shared, not copied.
    if count == 0 { newFacts = facts } else { newFacts += facts }
    let arrived = facts.span
    for index in arrived.indices {
      try assign(UnitNodes(arrived[index]), at: count + index, in: &storage)
    }
    checkIndices()
  }

  /// Finds the unit of the fact at index `index` by its names, and joins the units that they lead
  /// to.
  @inlinable
  mutating func assign<Storage: UnitStorage & ~Escapable>(
    _ nodes: UnitNodes, at index: Int, in storage: inout Storage
  ) throws(Storage.Failure) {
    if let unit = storage.commonUnit(of: nodes) {
      indicesByUnit[unit, default: []].append(UInt32(index))
      return
    }
    var unit: UnitNumber?
    var hasNewName = false
    for node in nodes {
      guard let other = try storage.findUnit(of: node) else {
        hasNewName = true
        continue
      }
      if let known = unit {
        if known != other { unit = try join(known, other, in: &storage) }
      } else {
        unit = other
      }
    }
    // A name that no fact has used before adds no facts, so the unit's fold can continue.
    if hasNewName {
      for node in nodes where try storage.parent(of: node) == nil {
        let root = unit ?? node
        try storage.setParent(root, of: node)
        unit = root
      }
    }
    indicesByUnit[unit ?? 0, default: []].append(UInt32(index))
  }

  /// Joins two units, and returns the smaller of their numbers, which is that of the joined unit.
  ///
  /// - Complexity: O(*k*) in the new facts of the unit that has fewer.
  @usableFromInline
  mutating func join<Storage: UnitStorage & ~Escapable>(
    _ first: UnitNumber, _ second: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> UnitNumber {
    let (into, former) = (min(first, second), max(first, second))
    try storage.setParent(into, of: former)
    absorbed.insert(former)
    let before = absorbedByUnit.removeValue(forKey: former) ?? []
    absorbedByUnit[into, default: []] += [former] + before
    if var moved = indicesByUnit.removeValue(forKey: former) {
      if var own = indicesByUnit.removeValue(forKey: into) {
        if own.count < moved.count { swap(&own, &moved) }
        own += moved
        moved = own
      }
      indicesByUnit[into] = moved
    }
    folded[into] = nil
    folded[former] = nil
    forgetAdvance(of: into)
    forgetAdvance(of: former)
    try checkJoin(of: former, into: into, in: &storage)
    return into
  }
}

// MARK: - Invariants

extension UnitSet {
  /// Checks in debug builds that each new fact is in exactly one unit, and that none of these units
  /// was absorbed.
  ///
  /// - Complexity: O(*u*) in the units with new facts; O(1) in release builds.
  @usableFromInline
  func checkIndices() {
    #if DEBUG
      let assigned = indicesByUnit.values.reduce(0) { $0 + $1.count }
      assert(assigned == newFacts.count, "\(assigned) of \(newFacts.count) new facts are in units")
      assert(absorbed.isDisjoint(with: indicesByUnit.keys), "an absorbed unit has new facts")
      assert(contextIndices.allSatisfy { $0 < newFacts.count })
    #endif
  }

  /// Checks in debug builds what the readers of a union-find rely on: a joined unit leads to the
  /// smaller number, and a unit is its own parent.
  private mutating func checkJoin<Storage: UnitStorage & ~Escapable>(
    of former: UnitNumber, into unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) {
    #if DEBUG
      assert(unit < former, "unit \(former) was joined with the larger \(unit)")
      let parent = try storage.parent(of: former)
      assert(parent == unit, "unit \(former) leads to \(parent ?? 0) and not to \(unit)")
      let root = unit == 0 ? 0 : try storage.parent(of: unit)
      assert(root == unit, "unit \(unit) is not its own parent")
      assert(absorbedByUnit[former] == nil && indicesByUnit[former] == nil)
    #endif
  }
}
