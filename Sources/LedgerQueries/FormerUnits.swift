internal import LedgerEvents
package import LedgerModel
package import LedgerStore

extension LedgerView {
  /// Passes every unit to `body`, one at a time, as units were at the clocks and in the order of
  /// their numbers then. Stops when `body` returns false.
  ///
  /// - Parameters:
  ///   - clocks: Which facts are known.
  ///   - context: The fold context at the clocks.
  ///   - body: Receives each unit, folded.
  /// - Complexity: O(*n*) in the size of all units, or as ``eachFormerUnit(at:_:_:)`` for the past.
  func eachUnit(
    at clocks: Clocks, _ context: SharedContext, _ body: (Unit) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    if clocks.reachAll { return try eachUnit(of: nil, body) }
    try eachFormerUnit(at: clocks, context) { (facts) throws(LedgerError) in
      let unit = UnitSet.fold(connected: facts, context: context, texts: texts)
      try texts.check()
      return try body(unit)
    }
  }

  /// Passes the facts of every unit to `body`, as units were at the clocks, in the order of their
  /// numbers then. Stops when `body` returns false.
  ///
  /// Units that have been joined since were several, which stood in other places. So a list that is
  /// made of them is the same list whatever was appended in between, and its pages fit together.
  ///
  /// - Parameters:
  ///   - clocks: Which facts are known.
  ///   - context: The fold context at the clocks.
  ///   - body: Receives the facts in the order of their positions, at least one.
  /// - Complexity: O(*n* log *n*) in the facts of all units. Those of one unit are in memory at a
  ///   time, and those that it has joined since and that come later.
  /// - Throws: ``LedgerError``, and what `body` throws.
  package func eachFormerUnit(
    at clocks: Clocks, _ context: SharedContext,
    _ body: ([Fact]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    var former = FormerUnits()
    var walk = try units()
    while try walk.advance() {
      while let facts = former.next(before: walk.unit) { guard try body(facts) else { return } }
      former.add(try facts(of: walk.unit, at: clocks), context, texts)
      try texts.check()
    }
    while let facts = former.next(before: .max) { guard try body(facts) else { return } }
  }
}

/// Facts of units of today, by the units that they were before. None of these has a lower number
/// than the unit that it is in today, because a unit has that of its first name.
private struct FormerUnits {
  private struct Part: Comparable, Sendable {
    let number: UnitNumber
    let facts: [Fact]

    static func < (left: Part, right: Part) -> Bool { left.number < right.number }
    static func == (left: Part, right: Part) -> Bool { left.number == right.number }
  }

  private var waiting = Heap<Part>()

  /// Adds the facts of a unit that were known then, in the order of their positions.
  mutating func add(_ facts: [Fact], _ context: SharedContext, _ texts: any FactTexts) {
    let parts = NameComponents.split(facts)
    // What shares the state of the absent device was one unit without sharing a name.
    if parts.count > 1, facts.contains(where: { $0.device == 0 }),
      !UnitSet.fold(connected: facts, context: context, texts: texts).couplings.isEmpty
    {
      return waiting.insert(Part(number: parts[0].number, facts: facts))
    }
    for part in parts { waiting.insert(Part(number: part.number, facts: part.facts)) }
  }

  /// Removes the first unit that precedes a number, and returns its facts; `nil` if there is none.
  mutating func next(before number: UnitNumber) -> [Fact]? {
    guard let first = waiting.first, first.number < number else { return nil }
    return waiting.removeFirst()?.facts
  }
}
