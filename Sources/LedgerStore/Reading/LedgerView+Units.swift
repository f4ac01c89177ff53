internal import LMDB
package import LedgerEvents
package import LedgerModel

extension LedgerView {
  /// The unit of a name; `nil` if no event names it in a way that connects.
  package func unitNumber(of number: NameNumber) throws(LedgerError) -> UnitNumber? {
    try reader.overlay.unit(of: number, tables, projections)
  }

  /// The unit of a name, folded; `nil` if no event names it in a way that connects.
  ///
  /// - Complexity: as ``state(of:)``.
  package func unit(of number: NameNumber) throws(LedgerError) -> Unit? {
    guard let unit = try foldedUnitNumber(of: number) else { return nil }
    return try state(of: unit)
  }

  /// The number of the unit of a name, after the events since the projections have joined some
  /// units and parted others; `nil` if no event names it in a way that connects.
  ///
  /// - Complexity: as ``state(of:)`` if such events concern the unit, otherwise one lookup.
  package func foldedUnitNumber(of number: NameNumber) throws(LedgerError) -> UnitNumber? {
    guard var unit = try unitNumber(of: number) else { return nil }
    while reader.overlay.units.touches(unit) {
      // Folding a unit can join it with others or part it from them, once.
      _ = try state(of: unit)
      guard let now = try unitNumber(of: number), now != unit else { return unit }
      unit = now
    }
    return unit
  }

  /// A unit, folded; `nil` if it has no facts.
  ///
  /// - Complexity: O(*n*) in the size of its state and the number of its events after the
  ///   projections, or O(*n* log *n*) in all its facts if such events come late.
  package func state(of unit: UnitNumber) throws(LedgerError) -> Unit? {
    if let known = reader.recent.stored, known.number == unit,
      !reader.overlay.units.touches(unit)
    {
      return known.state
    }
    reader.recent.stored = nil
    let state = try reader.overlay.state(of: unit, log, tables, projections)
    if let state, !reader.overlay.units.touches(unit) { reader.recent.stored = (unit, state) }
    return state
  }

  /// The facts of a unit that the clocks include, in the order of their positions.
  ///
  /// - Parameters:
  ///   - entitlementsAt: The store time, in microseconds, of a question about nothing but what
  ///     customers have: only facts on which its answer depends are needed. `nil` for all.
  ///   - kinds: The kinds of events whose facts are needed; `nil` for all. The answer can have
  ///     facts of other kinds, too.
  /// - Complexity: O(*n*) in the facts of the unit. Those after the ledger time are not read, and
  ///   of those of other kinds only the headers.
  package func facts(
    of unit: UnitNumber, at clocks: Clocks = .now, entitlementsAt: Int64? = nil,
    kinds: Set<EventKind>? = nil
  ) throws(LedgerError) -> [Fact] {
    let selection = FactSelection(
      end: try lastPosition(clocks), until: clocks.at?.microseconds ?? .max,
      entitlementsAt: entitlementsAt, kinds: kinds)
    if let known = reader.recent.facts, known.of == unit, known.by.serves(selection) {
      return known.facts
    }
    let facts = try reader.overlay.facts(of: unit, selection, log, tables, projections)
    // All facts of a unit may be many, and what is not folded can still join it with others.
    if entitlementsAt != nil, !reader.overlay.units.touches(unit) {
      reader.recent.facts = (unit, selection, facts)
    }
    return facts
  }

  /// The fact at a position.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  package func fact(at position: UInt64) throws(LedgerError) -> Fact { try log.fact(at: position) }

  /// The facts from which the fold context at the clocks is made, in the order of their positions.
  ///
  /// - Complexity: O(*n*) in their number.
  package func contextFacts(at clocks: Clocks = .now) throws(LedgerError) -> [Fact] {
    try facts(of: IndexKey.contextUnit, at: clocks)
  }

  /// An iterator over all units, folded one at a time.
  ///
  /// - Complexity: O(*n*) in the size of all units.
  @_lifetime(copy self)
  package func units() throws(LedgerError) -> UnitWalk {
    // Otherwise, a unit that becomes one with another during the iteration would be visited twice.
    try reader.overlay.joinCoupled(log, tables, projections)
    return try UnitWalk(self)
  }

  /// The believed `occurredAt` of the newest event that counts in each environment, where there is
  /// one.
  ///
  /// - Complexity: O(*u*) in the number of units, by their headers.
  package func newestEvents() throws(LedgerError) -> [StoreEnvironment: Int64] {
    var newest: [StoreEnvironment: Int64] = [:]
    var walk = try units()
    while try walk.advance() {
      let state = walk.isStored ? nil : try walk.state()
      for environment in StoreEnvironment.allCases {
        let found =
          walk.isStored
          ? UnitRow.newestEvent(walk.row, in: environment) : state?.newestEvent(in: environment)
        if let found { newest[environment] = max(newest[environment] ?? .min, found) }
      }
    }
    return newest
  }

  /// The units that may have observed a product: the stored ones that did, and all those with
  /// events in the overlay.
  func unitsObserving(
    _ observed: Unit.ObservedProduct
  ) throws(LedgerError) -> Set<UnitNumber> {
    let overlay = reader.overlay
    var units = Set(overlay.units.units)
    try eachStoredObserver(of: observed) { (unit, _) throws(LedgerError) in
      if !overlay.units.isAbsorbed(unit) { units.insert(unit) }
    }
    return units
  }

  /// Calls `body` with each stored unit that observed a product, and the contents of its row.
  ///
  /// - Complexity: O(*u*) in their number.
  func eachStoredObserver(
    of observed: Unit.ObservedProduct,
    _ body: (UnitNumber, Span<UInt8>) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let prefix = observed.keyPrefix
    var cursor = try RowCursor(tables.observed, projections)
    var found = try cursor.seek(prefix.span)
    while found, cursor.key.count == prefix.count + 4, cursor.key.starts(with: prefix) {
      try body(cursor.key.bigEndianHalf(at: prefix.count), cursor.content)
      found = try cursor.next()
    }
  }
}

/// An iterator over the units of a view, the stored ones and those that only the overlay has, in
/// the order of their numbers.
package struct UnitWalk: ~Copyable, ~Escapable {
  private let view: LedgerView
  private var cursor: RowCursor
  private let absorbed: Set<UnitNumber>
  private var unseen: [UnitNumber]
  /// The number of the unit.
  package private(set) var unit: UnitNumber = 0
  /// The stored unit to which the cursor has moved; `nil` if it has to move on.
  private var ahead: UnitNumber?
  private var isStoredDone = false
  /// Whether the unit's row is up to date.
  private(set) var isStored = false

  @_lifetime(copy view)
  init(_ view: LedgerView) throws(LedgerError) {
    self.view = view
    absorbed = view.reader.overlay.units.absorbedUnits
    unseen = view.reader.overlay.units.units.reversed()
    cursor = try RowCursor(view.tables.units, view.projections)
  }

  /// The row of the unit, if it is stored.
  var row: Span<UInt8> {
    @_lifetime(copy self)
    get { cursor.content }
  }

  /// Moves to the next unit; `false` after the last.
  package mutating func advance() throws(LedgerError) -> Bool {
    try moveAhead()
    while let next = unseen.last, next <= ahead ?? .max {
      unseen.removeLast()
      if next == ahead { continue }
      if try hasRow(next) { continue }
      unit = next
      isStored = false
      return true
    }
    guard let stored = ahead else { return false }
    ahead = nil
    unit = stored
    isStored = !view.reader.overlay.units.touches(unit)
    return true
  }

  /// Moves the cursor to the next stored unit that is still one, unless it is there.
  private mutating func moveAhead() throws(LedgerError) {
    while ahead == nil, !isStoredDone {
      isStoredDone = try !cursor.next()
      if isStoredDone { return }
      guard let stored = cursor.key.unit(at: 0) else { throw view.tables.units.damaged }
      if !absorbed.contains(stored) { ahead = stored }
    }
  }

  /// The unit, folded.
  package func state() throws(LedgerError) -> Unit? {
    if isStored,
      let state = try UnitRow(cursor.content, of: unit, view.projections, view.tables).unit
    {
      return state
    }
    return try view.state(of: unit)
  }

  /// The next unit, folded; `nil` after the last.
  package mutating func next() throws(LedgerError) -> Unit? {
    while try advance() {
      if let state = try state() { return state }
    }
    return nil
  }

  private func hasRow(_ unit: UnitNumber) throws(LedgerError) -> Bool {
    let key = bigEndianKey(unit)
    return try view.tables.units.row(key.span, view.projections) != nil
  }
}

extension Unit.ObservedProduct {
  /// Environment and product: the prefix of the rows about it.
  var keyPrefix: [UInt8] {
    var key = [environment.rawValue]
    key.append(bigEndianHalf: product)
    return key
  }
}
