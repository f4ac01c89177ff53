import LedgerEvents

/// What an append to an in-memory ledger changed, unit by unit.
package struct UnitChanges {
  /// The units that were continued or folded again, some of them twice.
  package var written: [UnitNumber] = []
  /// Those of them that did not continue from a former state, including new ones.
  package var foldedAnew: Set<UnitNumber> = []
  /// The units that others absorbed.
  package var absorbed: [UnitNumber] = []
}

/// The units of an in-memory ledger: everything that a `UnitSet` has folded, as values.
struct InMemoryUnits {
  /// What is kept of a unit.
  struct Entry {
    /// `nil` while the driver has the state.
    var state: Unit?
    /// The indices of its facts, in any order.
    var factIndices: [UInt32] = []
    fileprivate var couplings: [Coupling] = []
    fileprivate var observed: [Unit.ObservedProduct] = []
    fileprivate var marks = ObservationMarks()
  }

  private(set) var entries: [UnitNumber: Entry] = [:]
  /// How often units were split.
  private(set) var partingCount = 0
  /// In the order of arrival.
  private(set) var facts: [Fact] = []
  private var parents = UnitParents()
  /// The units that touch a piece of state of the absent device, and whether they write it.
  private var users: [Coupling: [UnitNumber: Bool]] = [:]
  private var observers: [Unit.ObservedProduct: Set<UnitNumber>] = [:]
  /// What the facts of the last append changed.
  private(set) var changes = UnitChanges()
  /// Whether those facts may take content away from its holder.
  private var releasesContent = false
  /// Folds units ahead, before anything is stored.
  var foldAhead: ((SeparateUnits) -> [UnitNumber: FoldedUnit])?
  private var foldedAhead: [UnitNumber: FoldedUnit] = [:]

  /// Starts to record what new facts change.
  mutating func begin(_ facts: [Fact]) {
    changes = UnitChanges()
    releasesContent = facts.contains { $0.kind == .accountErased }
  }

  /// The unit of a name; `nil` if no fact names it in a way that connects.
  func unit(of name: NameNumber) -> UnitNumber? {
    guard var unit = parents.knownParent(of: name) else { return nil }
    while unit != 0, let parent = parents.knownParent(of: unit), parent != unit { unit = parent }
    return unit
  }

  /// The units that observed a product, in order.
  func units(observing product: Unit.ObservedProduct) -> [UnitNumber] {
    observers[product]?.sorted() ?? []
  }

  func facts(of unit: UnitNumber) -> [Fact] {
    entries[unit]?.factIndices.map { facts[Int($0)] } ?? []
  }

  /// Keeps the facts that a set has folded.
  mutating func add(factsOf set: UnitSet) {
    let count = UInt32(facts.count)
    if count == 0 { facts = set.facts } else { facts += set.facts }
    for (unit, indices) in set.factIndices {
      if count == 0 {
        entries[unit]?.factIndices = indices
      } else {
        entries[unit]?.factIndices += indices.map { $0 + count }
      }
    }
  }

  /// Removes a former state of a unit from the other tables.
  private mutating func forget(_ entry: inout Entry, of unit: UnitNumber) {
    for product in entry.observed { observers[product]?.remove(unit) }
    entry.observed = []
    entry.marks = ObservationMarks()
  }

  private mutating func noteObserved(by state: Unit, _ unit: UnitNumber, _ entry: inout Entry) {
    for product in state.newObservations(since: &entry.marks).observed {
      if observers[product, default: []].insert(unit).inserted { entry.observed.append(product) }
    }
  }

  private mutating func noteCouplings(of state: Unit, _ unit: UnitNumber, _ entry: inout Entry) {
    for coupling in entry.couplings { users[coupling]?[unit] = nil }
    entry.couplings.removeAll(keepingCapacity: true)
    for use in state.couplings {
      entry.couplings.append(use.coupling)
      users[use.coupling, default: [:]][unit] = use.writes
    }
  }
}

extension InMemoryUnits {
  /// Checks the units that the last append wrote, in debug builds.
  ///
  /// - Complexity: O(*k*) in their number; O(1) in release builds.
  func checkInvariants() {
    #if DEBUG
      let absorbed = Set(changes.absorbed)
      for unit in changes.written where !absorbed.contains(unit) {
        guard let entry = entries[unit] else {
          assertionFailure("unit \(unit) was written and is not there")
          continue
        }
        assert(unit == 0 || self.unit(of: unit) == unit, "unit \(unit) is not its own parent")
        assert(entry.state != nil, "the driver kept the state of unit \(unit)")
        assert(entry.state?.factCount == entry.factIndices.count, "unit \(unit) lacks facts")
      }
      for unit in absorbed where self.unit(of: unit) != unit {
        assert(entries[unit] == nil, "unit \(unit) was absorbed and is still there")
      }
    #endif
  }
}

extension InMemoryUnits: UnitWriter {
  mutating func willFold(_ units: SeparateUnits?) {
    assert(foldAhead == nil || entries.isEmpty, "units are folded ahead without what is stored")
    if let units, let foldAhead { foldedAhead = foldAhead(units) }
  }

  mutating func foldedAhead(_ unit: UnitNumber) -> UnitAhead? {
    foldedAhead.removeValue(forKey: unit).map(UnitAhead.folded)
  }

  mutating func parent(of name: NameNumber) -> NameNumber? { parents.knownParent(of: name) }

  func commonUnit(of names: UnitNodes) -> UnitNumber? { parents.commonUnit(of: names) }

  mutating func setParent(_ parent: NameNumber, of name: NameNumber) {
    parents.addParent(parent, of: name)
  }

  func failDamaged() -> Never { preconditionFailure("the names of a unit lead to no unit") }

  mutating func takeState(of unit: UnitNumber) -> StoredState? {
    guard let state = entries[unit]?.state.take() else { return nil }
    return StoredState(foldedThrough: 0, unit: state)
  }

  mutating func facts(of unit: UnitNumber, absorbing others: [UnitNumber]) -> [Fact] {
    // Facts that were folded before are needed only to fold a unit again.
    changes.foldedAnew.insert(unit)
    return others.reduce(into: facts(of: unit)) { $0 += facts(of: $1) }
  }

  mutating func units(touching coupling: Coupling) -> [(unit: UnitNumber, writes: Bool)] {
    users[coupling]?.map { ($0.key, $0.value) } ?? []
  }

  mutating func coupledUnits() -> [UnitNumber] {
    Array(users.values.reduce(into: Set<UnitNumber>()) { $0.formUnion($1.keys) })
  }

  mutating func units(
    concernedBy change: ContextChange, besides isFolded: (UnitNumber) -> Bool
  ) -> [UnitNumber] {
    entries.compactMap { unit, entry in
      !isFolded(unit) && entry.state?.isAffected(by: change) ?? false ? unit : nil
    }
  }

  mutating func part(_ units: [UnitNumber], into parts: [UnitNumber: [Fact]]) {
    partingCount += 1
    var indices: [UInt64: UInt32] = [:]
    for unit in units {
      for index in entries[unit]?.factIndices ?? [] {
        indices[facts[Int(index)].position] = index
      }
      entries[unit]?.factIndices = []
    }
    for (unit, facts) in parts {
      entries[unit, default: Entry()].factIndices = facts.compactMap { indices[$0.position] }
      changes.foldedAnew.insert(unit)
    }
  }

  mutating func write(_ write: UnitWrite, _ state: Unit, _ context: SharedContext) {
    let unit = write.unit
    let known = entries.removeValue(forKey: unit)
    if known == nil { changes.foldedAnew.insert(unit) }
    var entry = known ?? Entry()
    if releasesContent || changes.foldedAnew.contains(unit) { forget(&entry, of: unit) }
    for other in write.absorbed {
      guard var former = entries.removeValue(forKey: other) else { continue }
      forget(&former, of: other)
      for coupling in former.couplings { users[coupling]?[other] = nil }
      entry.factIndices += former.factIndices
      changes.absorbed.append(other)
    }
    noteCouplings(of: state, unit, &entry)
    noteObserved(by: state, unit, &entry)
    entry.state = state
    entries[unit] = entry
    changes.written.append(unit)
  }

  func checkTexts() {}
}
