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

  /// Continues a unit from its stored state; `nil` if it has to be folded again from all of its
  /// facts.
  ///
  /// A unit that absorbed others, or that was split from others, has no stored state.
  ///
  /// - Complexity: O(*k*) in the unit's new facts, and in the folded ones after the first of them.
  private mutating func continued<Storage: UnitStorage & ~Escapable>(
    _ unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> FoldedUnit? {
    guard absorbedByUnit[unit] == nil, parted[unit] == nil,
      var stored = try storage.takeState(of: unit)
    else { return nil }
    let continued = unitFold().continued(&stored, with: newFacts(of: unit))
    try storage.checkTexts()
    guard let continued else { return nil }
    note(continued, of: unit)
    return continued
  }

  /// Notes how a unit was continued.
  private mutating func note(_ folded: FoldedUnit, of unit: UnitNumber) {
    advances[unit] = folded.advancedWith
    if folded.wentBack { wentBack.insert(unit) }
  }

  /// Folds a unit from all of its facts, even if its state is stored; `nil` if it has no facts.
  ///
  /// - Complexity: O(*n* log *n*) in the facts of the unit.
  private mutating func foldAgain<Storage: UnitStorage & ~Escapable>(
    _ unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    forgetAdvance(of: unit)
    return try fold(allFacts(of: unit, in: &storage), in: storage)
  }

  private mutating func fold<Storage: UnitStorage & ~Escapable>(
    _ facts: [Fact], in storage: borrowing Storage
  ) throws(Storage.Failure) -> Unit? {
    if facts.isEmpty { return nil }
    let unit = unitFold().fold(facts)
    try storage.checkTexts()
    return unit
  }

  /// How the set folds one unit.
  private mutating func unitFold() -> UnitFold {
    UnitFold(context: sharedFoldContext(), change: change, journalRowsMin: journalRowsMin)
  }
}

extension UnitSet {
  /// Folds facts that are connected in the ledger as one unit, with a context that contains
  /// whatever of them it depends on.
  ///
  /// This answers questions about the past of a unit. The facts of a unit up to a position or a
  /// moment may be several units that later facts connect. Folding them as one gives every customer
  /// the same, because what does not share a name or state does not meet in the fold.
  ///
  /// - Parameters:
  ///   - facts: In any order.
  ///   - context: The fold context of everything that is known then, also of other units.
  ///   - texts: The texts of the facts.
  /// - Complexity: O(*n* log *n*) in the number of facts, or O(*n*) if they are in the fold order.
  package static func fold(
    connected facts: [Fact], context: SharedContext, texts: any FactTexts
  ) -> Unit {
    Unit.fold(facts, FoldContext(context: context, texts: texts))
  }

  /// Like `fold(connected:context:texts:)`, but shows every step to an observer.
  static func fold(
    connected facts: [Fact], context: SharedContext, texts: any FactTexts,
    _ observer: inout some FoldObserver
  ) -> Unit {
    Unit.fold(facts, FoldContext(context: context, texts: texts), &observer)
  }

  /// Folds facts as one unit. The caller knows that all facts that state a name are connected.
  ///
  /// - Complexity: O(*n*) in the number of facts if they are in the fold order.
  mutating func foldAsOne(_ facts: [Fact]) -> Unit {
    let arrived = facts.span
    for index in arrived.indices where context.mayConcern(arrived[index]) {
      context.extend(with: arrived[index], texts, &change)
    }
    return Unit.fold(facts, sharedFoldContext())
  }
}

// MARK: - A set that writes

extension UnitSet {
  /// Folds and writes every unit that the new facts, or what they changed in the context, concern.
  ///
  /// Units that touch state of the absent device are written last, when it is known which of them
  /// belong together. All others are written at once. The storage may fold separate ones ahead.
  ///
  /// - Complexity: O(*k*) in the new facts that continue what is stored; O(*n* log *n*) in all
  ///   facts of the units that are folded again.
  package mutating func foldAll<Storage: UnitWriter & ~Escapable>(
    into storage: inout Storage
  ) throws(Storage.Failure) {
    try storage.willFold(separateUnits())
    for unit in units {
      switch try storage.foldedAhead(unit) {
      case .written: uncoupled.insert(unit)
      case .folded(let folded):
        note(folded, of: unit)
        try writeUnlessCoupled(folded.unit, of: unit, into: &storage)
      case nil: try foldAndWrite(unit, into: &storage)
      }
    }
    if !change.isEmpty {
      let concerned = try storage.units(concernedBy: change) { unit in
        indicesByUnit[unit] != nil || absorbed.contains(unit) || parted[unit] != nil
      }
      for unit in concerned { try foldAndWrite(unit, into: &storage) }
    }
    try joinCoupled(in: &storage)
    for (unit, state) in coupled.sorted(by: { $0.key < $1.key }) {
      try write(state, of: unit, into: &storage)
    }
    coupled.removeAll()
  }

  /// Folds one unit, or the units that it is split into, and writes those that touch no state of
  /// the absent device.
  private mutating func foldAndWrite<Storage: UnitWriter & ~Escapable>(
    _ unit: UnitNumber, into storage: inout Storage
  ) throws(Storage.Failure) {
    if let state = try continued(unit, in: &storage)?.unit {
      return try writeUnlessCoupled(state, of: unit, into: &storage)
    }
    let known = try storedFacts(of: unit, in: &storage)
    // A unit without stored facts has not been joined by couplings yet, so it cannot be split.
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
        unit: unit, absorbed: absorbedByUnit[unit] ?? [], isRegrouped: regrouped.contains(unit),
        advancedWith: advances.removeValue(forKey: unit), wentBack: wentBack.remove(unit) != nil,
        restsOnChange: !change.isEmpty && state.rests(on: change)),
      state, context)
  }
}

// MARK: - A set that only reads

extension UnitSet {
  /// The state of a unit with its new facts, joined with the units that share state of the absent
  /// device with it; `nil` if it has no facts.
  ///
  /// Stored units are already joined, so only the units that the new facts touch are considered.
  ///
  /// - Complexity: The same as folding the unit, once until more facts are appended. If the unit
  ///   touches state of the absent device, also the same as folding every unit with new facts.
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
  /// Facts that all state a device can also cause this. For example, an erasure leaves content of
  /// the absent device to nobody.
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

  /// Notes the couplings of units. If the context has changed, also notes those of all stored units
  /// with couplings, because they may now share what they did not share when they were stored.
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

  /// The state of a unit with its new facts. A unit whose parts no longer share what they were
  /// joined for is split.
  private mutating func foldedState<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> Unit? {
    if let known = folded[unit] ?? coupled[unit] { return known }
    if let state = try continued(unit, in: &storage) {
      // A state that equals the stored one is read again rather than kept.
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
  /// The units that touch one piece of state of the absent device.
  private struct CouplingUsers {
    var units: [UnitNumber] = []
    var isWritten = false

    mutating func add(_ unit: UnitNumber, writes: Bool) {
      units.append(unit)
      if writes { isWritten = true }
    }
  }

  /// Joins units until every unit that writes a piece of state of the absent device is joined with
  /// all units that touch it. Joined units are folded again, which may reveal more couplings.
  ///
  /// - Complexity: In each round, O(*u* log *u*) in the uses of all coupled units, and a fold of
  ///   each joined unit. There are rarely more than two rounds.
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

  /// The units that touch what the coupled units touch, including stored units.
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
          if indicesByUnit[other] != nil || absorbedByUnit[other] != nil || parted[other] != nil {
            // The stored couplings of the unit may be out of date.
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
