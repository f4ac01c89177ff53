import LedgerEvents

extension UnitSet {
  /// Every fact of a unit, stored and new, in any order.
  ///
  /// - Complexity: O(*n*) in their number.
  package func allFacts<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> [Fact] {
    try storedFacts(of: unit, in: &storage) + newFacts(of: unit)
  }

  /// A unit with its new facts, and whether that is what is stored of it.
  struct FoldedUnit {
    var unit: Unit
    var isStored = false
  }

  /// Continues a unit from its stored state; nil where it has to be folded again from all of its
  /// facts.
  ///
  /// The fold continues where the new facts follow on the stored ones and the context changed in
  /// nothing that the state rests on. A unit that absorbed others, or was parted from others, has
  /// no stored state.
  ///
  /// - Complexity: O(*k*) in the unit's new facts.
  private mutating func continued<Storage: UnitStorage & ~Escapable>(
    _ unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> FoldedUnit? {
    guard absorbedByUnit[unit] == nil, parted[unit] == nil,
      var stored = try storage.takeState(of: unit)
    else { return nil }
    let facts = newFacts(of: unit, behind: stored.foldedThrough)
    guard try goOn(from: &stored, with: facts, in: storage), let state = stored.unit else {
      return nil
    }
    return FoldedUnit(unit: state, isStored: facts.isEmpty)
  }

  /// Folds a unit from all of its facts, whatever is stored of its state; nil where it has none.
  ///
  /// - Complexity: O(*n* log *n*) in the facts of the unit.
  private mutating func foldAgain<Storage: UnitStorage & ~Escapable>(
    _ unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    try fold(allFacts(of: unit, in: &storage), in: storage)
  }

  private mutating func fold<Storage: UnitStorage & ~Escapable>(
    _ facts: [Fact], in storage: borrowing Storage
  ) throws(Storage.Failure) -> Unit? {
    if facts.isEmpty { return nil }
    let unit = Unit.fold(facts, sharedFoldContext())
    try storage.checkTexts()
    return unit
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
    let arrived = facts.span
    for place in arrived.indices where context.mayConcern(arrived[place]) {
      context.extend(with: arrived[place], texts, &change)
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
    for unit in units { try foldAndWrite(unit, into: &storage) }
    if !change.isEmpty {
      for unit in try storage.units(concernedBy: change)
      where placesByUnit[unit] == nil && !absorbed.contains(unit) && parted[unit] == nil {
        try foldAndWrite(unit, into: &storage)
      }
    }
    try joinCoupled(in: &storage)
    for (unit, state) in coupled.sorted(by: { $0.key < $1.key }) {
      try write(state, of: unit, into: &storage)
    }
    coupled.removeAll()
  }

  /// Folds one unit, or the units that it is parted into, and writes what touches no state of the
  /// absent device.
  private mutating func foldAndWrite<Storage: UnitWriter & ~Escapable>(
    _ unit: UnitNumber, into storage: inout Storage
  ) throws(Storage.Failure) {
    if let state = try continued(unit, in: &storage)?.unit {
      return try writeUnlessCoupled(state, of: unit, into: &storage)
    }
    let known = try storedFacts(of: unit, in: &storage)
    // Couplings have joined nothing yet that is not stored.
    if !known.isEmpty, let parts = try part(unit, known, in: &storage) {
      for part in parts {
        guard let state = try foldAgain(part, in: &storage) else { continue }
        try writeUnlessCoupled(state, of: part, into: &storage)
      }
    } else if let state = try fold(
      known.isEmpty ? newFacts(of: unit) : known + newFacts(of: unit), in: storage)
    {
      try writeUnlessCoupled(state, of: unit, into: &storage)
    }
  }

  private mutating func writeUnlessCoupled<Storage: UnitWriter & ~Escapable>(
    _ state: Unit, of unit: UnitNumber, into storage: inout Storage
  ) throws(Storage.Failure) {
    if state.couplings.isEmpty {
      uncoupled.insert(unit)
      try write(state, of: unit, into: &storage)
    } else {
      coupled[unit] = state
    }
  }

  private mutating func write<Storage: UnitWriter & ~Escapable>(
    _ state: Unit, of unit: UnitNumber, into storage: inout Storage
  ) throws(Storage.Failure) {
    try storage.write(
      UnitWrite(
        unit: unit, absorbed: absorbedByUnit[unit] ?? [], isRegrouped: regrouped.contains(unit)),
      state, context)
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
  ///   absent device, also as folding every unit with new facts.
  package mutating func state<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    guard let state = try foldedState(of: unit, in: &storage) else { return nil }
    if newFacts.isEmpty || state.couplings.isEmpty || isJoined { return state }
    coupled[unit] = state
    try joinAll(in: &storage)
    let root = try storage.root(of: unit)
    return try foldedState(of: root, in: &storage)
  }

  /// Joins all units that share state of the absent device, as far as the new facts touch them.
  ///
  /// Facts that all state a device can do this, too: an erasure leaves content of the absent device
  /// to nobody, for example.
  ///
  /// - Complexity: O(*u*) in the units that the new facts touch, each folded once.
  package mutating func joinAll<Storage: UnitStorage & ~Escapable>(
    in storage: inout Storage
  ) throws(Storage.Failure) {
    if newFacts.isEmpty || isJoined { return }
    try addCoupled(units, in: &storage)
    try joinCoupled(in: &storage)
    isJoined = true
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

  /// The state of a unit with its new facts, parted from others where it was joined with them for
  /// what they do not share.
  private mutating func foldedState<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    if let known = folded[unit] ?? coupled[unit] { return known }
    if let state = try continued(unit, in: &storage) {
      // What is as it is stored is read again rather than kept.
      if !state.isStored { folded[unit] = state.unit }
      return state.unit
    }
    let known = try storedFacts(of: unit, in: &storage)
    guard let parts = try part(unit, known, in: &storage) else {
      folded[unit] = try fold(known + newFacts(of: unit), in: storage)
      return folded[unit]
    }
    for part in parts {
      guard let state = try foldAgain(part, in: &storage) else { continue }
      folded[part] = state
      if state.couplings.isEmpty { uncoupled.insert(part) } else { coupled[part] = state }
    }
    return folded[unit]
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
          regrouped.insert(into)
        }
      }
      if joined.isEmpty { return }
      for unit in joined.sorted() {
        if let state = try foldAgain(unit, in: &storage) { coupled[unit] = state }
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
          if placesByUnit[other] != nil || absorbedByUnit[other] != nil || parted[other] != nil {
            // What is stored of its couplings may be true no longer.
            let known = Set(coupled.keys)
            try noteCouplings(of: other, in: &storage)
            unseen += coupled.keys.filter { !known.contains($0) }
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
