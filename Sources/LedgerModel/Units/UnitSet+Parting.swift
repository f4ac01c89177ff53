import LedgerEvents

extension UnitSet {
  /// Splits a unit that couplings had joined, and returns the resulting units, in order; `nil` if
  /// its facts are one component.
  ///
  /// A late fact can show that units never shared the state of the absent device for which they
  /// were joined. So before a unit is folded again from all of its facts, it is split into the
  /// components that share names. What a component touches on the absent device depends only on its
  /// own facts and on the shared context, so folding each of them shows which belong together.
  ///
  /// - Parameter known: The stored facts of the unit, in any order.
  /// - Complexity: O(*n* log *n*) in the facts of the unit; O(*n*) if all of them state a device.
  mutating func part<Storage: UnitStorage & ~Escapable>(
    _ unit: UnitNumber, _ known: [Fact], in storage: inout Storage
  ) throws(Storage.Failure) -> [UnitNumber]? {
    let indices = indicesByUnit[unit] ?? []
    let isCoupling = { (fact: Fact) in fact.device == 0 }
    guard
      known.contains(where: isCoupling)
        || indices.contains(where: { isCoupling(newFacts[Int($0)]) })
    else { return nil }
    var arrived = known
    for index in indices { arrived.append(newFacts[Int(index)]) }
    arrived.sort { $0.position < $1.position }
    var components = NameComponents(of: arrived)
    if components.count < 2 { return nil }

    for name in Array(components.names) {
      try storage.setParent(components.component(of: name), of: name)
    }
    var parts: [UnitNumber: [Fact]] = [:]
    for fact in known {
      parts[components.component(of: UnitNodes(fact).first), default: []].append(fact)
    }
    indicesByUnit[unit] = nil
    for index in indices {
      let part = components.component(of: UnitNodes(newFacts[Int(index)]).first)
      indicesByUnit[part, default: []].append(index)
      if parts[part] == nil { parts[part] = [] }
    }
    let members = [unit] + (absorbedByUnit.removeValue(forKey: unit) ?? [])
    for member in members {
      forget(member)
      let part = member == 0 ? 0 : components.component(of: member)
      if part == member { continue }
      absorbed.insert(member)
      absorbedByUnit[part, default: []].append(member)
      // Its stored facts are among those of the parts.
      parted[member] = []
    }
    for (part, facts) in parts {
      parted[part] = facts
      regrouped.insert(part)
    }
    storage.part(members, into: parts)
    try checkParts(parts, in: &storage)
    return parts.keys.sorted()
  }

  private mutating func forget(_ unit: UnitNumber) {
    folded[unit] = nil
    forgetAdvance(of: unit)
    coupled[unit] = nil
    uncoupled.remove(unit)
    absorbed.remove(unit)
    parted[unit] = nil
    regrouped.remove(unit)
  }

  /// The stored facts of a unit and of those that it absorbed, in any order.
  func storedFacts<Storage: UnitStorage & ~Escapable>(
    of unit: UnitNumber, in storage: inout Storage
  ) throws(Storage.Failure) -> [Fact] {
    let absorbed = absorbedByUnit[unit] ?? []
    if parted.isEmpty { return try storage.facts(of: unit, absorbing: absorbed) }
    var facts: [Fact] = []
    for member in [unit] + absorbed {
      if let known = parted[member] {
        facts += known
      } else {
        facts += try storage.facts(of: member, absorbing: [])
      }
    }
    return facts
  }

  /// Checks in debug builds that every part is a unit of its own.
  private mutating func checkParts<Storage: UnitStorage & ~Escapable>(
    _ parts: [UnitNumber: [Fact]], in storage: inout Storage
  ) throws(Storage.Failure) {
    #if DEBUG
      for (part, facts) in parts {
        assert(!absorbed.contains(part), "unit \(part) is parted and absorbed")
        if part != 0 {
          let root = try storage.parent(of: part)
          assert(root == part, "unit \(part) is not its own parent")
        }
        for fact in facts + newFacts(of: part) {
          for name in UnitNodes(fact) {
            let unit = try storage.findUnit(of: name)
            assert(unit == part, "name \(name) leads to unit \(unit ?? 0) and not to \(part)")
          }
        }
      }
    #endif
  }
}
