import LedgerEvents

extension UnitSet {
  /// Every fact of a unit, stored and new, in any order.
  ///
  /// - Complexity: O(*n*) in their number.
  package func allFacts<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> [Fact] {
    try storage.facts(of: unit, absorbing: absorbedByUnit[unit] ?? []) + newFacts(of: unit)
  }

  /// A unit with its new facts, and whether that is what is stored of it.
  struct FoldedUnit {
    var unit: Unit
    var isStored = false
  }

  /// Folds one unit with its new facts; nil where it has no facts at all.
  ///
  /// The stored state goes on where the new facts follow on it and the context changed in nothing
  /// that it rests on. Else, and where the unit absorbed others, all facts are folded anew.
  ///
  /// - Complexity: O(*k*) in the unit's new facts where they are in order, else O(*n* log *n*) in
  ///   all of its facts.
  mutating func fold<Storage: UnitStorage & ~Escapable>(
    _ unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> FoldedUnit? {
    let absorbed = absorbedByUnit[unit] ?? []
    if absorbed.isEmpty {
      guard var stored = try storage.takeState(of: unit) else {
        return try fold(newFacts(of: unit), in: storage)
      }
      let facts = newFacts(of: unit, behind: stored.foldedThrough)
      if try goOn(from: &stored, with: facts, in: storage), let state = stored.unit {
        return FoldedUnit(unit: state, isStored: facts.isEmpty)
      }
    }
    let known = try storage.facts(of: unit, absorbing: absorbed)
    return try fold(known + newFacts(of: unit), in: storage)
  }

  private mutating func fold<Storage: UnitStorage & ~Escapable>(
    _ facts: [Fact], in storage: borrowing Storage
  ) throws(Storage.Failure) -> FoldedUnit? {
    if facts.isEmpty { return nil }
    let unit = Unit.fold(facts, sharedFoldContext())
    try storage.checkTexts()
    return FoldedUnit(unit: unit)
  }

  /// The new facts of a unit that its stored state does not have: a merge that was cut short has
  /// written states that are ahead of its checkpoint.
  private func newFacts(of unit: UnitNumber, behind position: UInt64) -> [Fact] {
    let facts = newFacts(of: unit)
    guard facts.contains(where: { $0.position <= position }) else { return facts }
    return facts.filter { $0.position > position }
  }

  /// Brings a stored state up to the unit's new facts; false where they reach back, or where the
  /// state rests on something that changed.
  private mutating func goOn<Storage: UnitStorage & ~Escapable>(
    from stored: inout StoredState, with facts: [Fact], in storage: borrowing Storage
  ) throws(Storage.Failure) -> Bool {
    if !change.isEmpty, stored.unit?.isAffected(by: change) ?? true { return false }
    if facts.isEmpty { return stored.unit != nil }
    let sorted = facts.inFoldOrder(texts)
    let advances = stored.unit?.advance(sorted, sharedFoldContext()) ?? false
    try storage.checkTexts()
    return advances
  }
}

extension UnitSet {
  /// Folds facts of which it is known that all that state a name are connected.
  ///
  /// - Complexity: O(*n*) in the number of facts where they come in the fold's order.
  mutating func foldAsOne(_ facts: [Fact]) -> Unit {
    // Few facts concern the context, and those that cannot are left out here.
    for place in facts.indices
    where facts[place].device == 0 || facts[place].environment != nil
      || facts[place].kind == .catalogSet
    {
      context.extend(with: facts[place], texts, &change)
    }
    return Unit.fold(facts, sharedFoldContext())
  }
}

// MARK: - A set that writes

extension UnitSet {
  /// Folds and writes every unit that the new facts, or what they changed in the context, concern.
  ///
  /// Units that touch state of the absent device are written last, when it is known which of them
  /// are one; all others at once.
  ///
  /// - Complexity: O(*k*) in the new facts that follow on what is stored; O(*n* log *n*) in all
  ///   facts of the units that are folded anew.
  package mutating func foldAll<Storage: UnitWriter & ~Escapable>(
    into storage: inout Storage
  ) throws(Storage.Failure) {
    for unit in units { try settle(unit, into: &storage) }
    if !change.isEmpty {
      for unit in try storage.units(concernedBy: change)
      where placesByUnit[unit] == nil && !absorbed.contains(unit) {
        try settle(unit, into: &storage)
      }
    }
    try joinCoupled(in: &storage)
    for (unit, state) in coupled.sorted(by: { $0.key < $1.key }) {
      try storage.write(state, of: unit, absorbing: absorbedByUnit[unit] ?? [], context)
    }
    coupled.removeAll()
  }

  /// Folds one unit, and writes it unless it touches state of the absent device.
  private mutating func settle<Storage: UnitWriter & ~Escapable>(
    _ unit: UnitNumber, into storage: inout Storage
  ) throws(Storage.Failure) {
    guard let state = try fold(unit, in: &storage)?.unit else { return }
    if state.couplings.isEmpty {
      uncoupled.insert(unit)
      try storage.write(state, of: unit, absorbing: absorbedByUnit[unit] ?? [], context)
    } else {
      coupled[unit] = state
    }
  }
}

// MARK: - A set that only reads

extension UnitSet {
  /// The state of a unit with its new facts, joined with the units that share state of the absent
  /// device with it; nil where it has no facts.
  ///
  /// What is stored is joined already, so only units that the new facts touch are looked at.
  ///
  /// - Complexity: as folding the unit, once until more facts come; where it touches state of the
  ///   absent device, also as folding every unit with new facts of that device.
  package mutating func state<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    guard let state = try foldedState(of: unit, in: &storage) else { return nil }
    if newFacts.isEmpty || state.couplings.isEmpty || coupling == .all { return state }
    if coupling == .absentDevice && coupled[unit] != nil { return state }
    coupled[unit] = state
    if coupling == .none {
      try addCoupled(units.filter(hasFactsOfAbsentDevice), in: &storage)
      coupling = .absentDevice
    }
    try joinCoupled(in: &storage)
    let root = try storage.root(of: unit)
    return try foldedState(of: root, in: &storage)
  }

  /// Joins all units that share state of the absent device, as far as the new facts touch them.
  ///
  /// - Complexity: O(*u*) in the units that the new facts touch, each folded once.
  package mutating func joinAll<Storage: UnitStorage & ~Escapable>(
    in storage: inout Storage
  ) throws(Storage.Failure) {
    if newFacts.isEmpty || coupling == .all { return }
    try addCoupled(units, in: &storage)
    try joinCoupled(in: &storage)
    coupling = .all
  }

  /// Looks at units for couplings, and at those stored with any where the context has changed:
  /// they may share now what they did not when they were stored.
  private mutating func addCoupled<Storage: UnitStorage & ~Escapable>(
    _ units: [UnitNumber], in storage: inout Storage
  ) throws(Storage.Failure) {
    var candidates = units
    if !change.isEmpty {
      for unit in try storage.coupledUnits() {
        candidates.append(try storage.root(of: unit))
      }
    }
    for unit in candidates where coupled[unit] == nil && !uncoupled.contains(unit) {
      try noteCouplings(of: unit, in: &storage)
    }
  }

  private func hasFactsOfAbsentDevice(_ unit: UnitNumber) -> Bool {
    placesByUnit[unit]?.contains { newFacts[Int($0)].device == 0 } ?? false
  }

  private mutating func foldedState<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    if let known = folded[unit] ?? coupled[unit] { return known }
    guard let state = try fold(unit, in: &storage) else { return nil }
    // What is as it is stored is read again rather than kept.
    if !state.isStored { folded[unit] = state.unit }
    return state.unit
  }
}

// MARK: - Couplings

extension UnitSet {
  /// Everything that touches one piece of state of the absent device.
  private struct CouplingUsers {
    var units: [UnitNumber] = []
    var isWritten = false

    mutating func add(_ unit: UnitNumber, writes: Bool) {
      units.append(unit)
      if writes { isWritten = true }
    }
  }

  /// Joins units until none that writes state of the absent device is apart from one that touches
  /// it; joined units are folded anew, which may show more couplings.
  ///
  /// - Complexity: O(*u* log *u*) in the uses of all coupled units for each round, of which there
  ///   are hardly ever more than two; and a fold of each joined unit.
  private mutating func joinCoupled<Storage: UnitStorage & ~Escapable>(
    in storage: inout Storage
  ) throws(Storage.Failure) {
    while !coupled.isEmpty {
      var joined: Set<UnitNumber> = []
      for users in try couplingUsers(in: &storage) where users.isWritten {
        var into = try storage.root(of: users.units[0])
        for unit in users.units.dropFirst() {
          let other = try storage.root(of: unit)
          if other == into { continue }
          joined.remove(into)
          joined.remove(other)
          coupled[into] = nil
          coupled[other] = nil
          into = try join(into, other, in: &storage)
          joined.insert(into)
        }
      }
      if joined.isEmpty { return }
      for unit in joined.sorted() {
        if let state = try fold(unit, in: &storage) { coupled[unit] = state.unit }
      }
    }
  }

  /// Who touches what the coupled units touch, the stored ones included.
  private mutating func couplingUsers<Storage: UnitStorage & ~Escapable>(
    in storage: inout Storage
  ) throws(Storage.Failure) -> [CouplingUsers] {
    var users: [Coupling: CouplingUsers] = [:]
    var unseen = Array(coupled.keys)
    var asked: Set<Coupling> = []
    while let unit = unseen.popLast() {
      for use in coupled[unit]?.couplings ?? [] {
        users[use.coupling, default: .init()].add(unit, writes: use.writes)
        guard asked.insert(use.coupling).inserted else { continue }
        for stored in try storage.units(touching: use.coupling) {
          let other = try storage.root(of: stored.unit)
          if coupled[other] != nil || uncoupled.contains(other) { continue }
          if placesByUnit[other] != nil || absorbedByUnit[other] != nil {
            // What is stored of its couplings may be true no longer.
            try noteCouplings(of: other, in: &storage)
            if coupled[other] != nil { unseen.append(other) }
          } else {
            users[use.coupling, default: .init()].add(other, writes: stored.writes)
          }
        }
      }
    }
    return Array(users.values)
  }

  /// Folds a unit and notes whether it touches state of the absent device.
  private mutating func noteCouplings<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) {
    guard let state = try foldedState(of: unit, in: &storage) else { return }
    if state.couplings.isEmpty { uncoupled.insert(unit) } else { coupled[unit] = state }
  }
}
