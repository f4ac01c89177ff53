internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// What stands in the log behind the projections, folded in memory for whoever asks.
///
/// It grows with the log and begins anew when the projections have moved on.
struct TailOverlay {
  /// Where the projections end and the overlay begins.
  let checkpoint: Checkpoint
  /// The last position that is in it.
  private(set) var through: UInt64
  private(set) var facts: [Fact] = []
  private(set) var groups = FactGroups()
  private(set) var context: SharedContext
  /// The facts that the shared context rests on, wherever else they belong.
  private var contextFacts: [Fact] = []
  private(set) var change = ContextChange()
  /// Numbers of names behind the index, by the key of their hash.
  private var names: [UInt64: [NameNumber]] = [:]
  private var nameThrough: NameNumber
  private var map = UnitMap()
  /// Units folded with what is in the overlay, until more comes.
  private var folded: [UInt32: Unit] = [:]
  /// Whether all units that share state of the absent device are one by now.
  private var isJoined = false

  /// The most events that questions fold in memory, about 150 bytes each: beyond it the
  /// projections have to be brought up first.
  static let eventsMax: UInt64 = 2_000_000

  init(behind checkpoint: Checkpoint, _ context: SharedContext) {
    self.checkpoint = checkpoint
    self.context = context
    through = checkpoint.position
    nameThrough = checkpoint.name
  }

  /// Takes in what has come up to `end`.
  ///
  /// - Complexity: O(*k*) in the number of new events.
  mutating func extend(
    through end: UInt64, _ log: LogView, _ texts: LogTexts, _ keyHash: KeyHash,
    _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) {
    guard end > through else { return }
    guard end - checkpoint.position <= Self.eventsMax else {
      throw LedgerError(
        .rebuildNeeded,
        """
        The projections are \(end - checkpoint.position) events behind the log: run `daybook \
        rebuild`, or let the process that appends fold them.
        """)
    }
    let batch = try FactBatch(through + 1...end, log, keyHash, indexesIDs: false)
    for fact in batch.facts {
      if context.concerns(fact) { contextFacts.append(fact) }
      context.extend(with: fact, texts, &change)
    }
    try texts.check()
    for fact in batch.facts {
      try groups.add(fact, at: facts.count, &map, tables.unitMap, view)
      facts.append(fact)
    }
    if batch.lastName > nameThrough {
      for number in nameThrough + 1...batch.lastName {
        names[IndexKey.of(try log.nameHash(number, keyHash)), default: []].append(number)
      }
      nameThrough = batch.lastName
    }
    folded.removeAll(keepingCapacity: true)
    isJoined = false
    through = end
  }

  /// Numbers behind the index whose name may have the hash.
  func numbers(of hash: UInt64) -> [NameNumber] { names[IndexKey.of(hash)] ?? [] }

  /// The unit of a name; nil where no fact names it.
  mutating func unit(
    of number: NameNumber, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> UInt32? {
    try map.unit(of: number, tables.unitMap, view)
  }

  /// Whether the overlay says anything about a unit that is stored.
  func touches(_ unit: UInt32) -> Bool {
    groups.places[unit] != nil || groups.absorbed[unit] != nil || groups.isAbsorbed(unit)
      || !change.isEmpty
  }

  /// Whether nothing stands behind the projections.
  var isEmpty: Bool { through == checkpoint.position }

  /// The state of a unit with everything that is in the overlay; nil where it has no facts.
  ///
  /// - Complexity: O(*k*) in the unit's new facts where they are in order, else O(*n* log *n*) in
  ///   all of its facts, once until more comes.
  mutating func state(
    of unit: UInt32, _ log: LogView, _ texts: LogTexts, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> Unit? {
    guard let state = try foldedState(of: unit, log, texts, tables, view) else { return nil }
    guard through > checkpoint.position, !state.couplings.isEmpty,
      let into = try couple(unit, state, log, texts, tables, view)
    else { return state }
    return try self.state(of: into, log, texts, tables, view)
  }

  /// Joins all units that share state of the absent device, as far as the overlay touches them.
  ///
  /// - Complexity: O(*u*) in the units that the overlay touches, each folded once.
  mutating func joinCoupled(
    _ log: LogView, _ texts: LogTexts, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) {
    guard through > checkpoint.position, !isJoined else { return }
    for unit in groups.units where groups.places[unit] != nil {
      _ = try state(of: unit, log, texts, tables, view)
    }
    if !change.isEmpty {
      for unit in try tables.coupledUnits(in: view).sorted() {
        _ = try state(of: root(of: unit, tables, view), log, texts, tables, view)
      }
    }
    isJoined = true
  }

  /// Joins a unit with one that shares state of the absent device with it, where the overlay's
  /// events made that necessary; returns the unit that both are now, or nil where none is.
  ///
  /// What the projections hold is joined already, so only units that the overlay touches count.
  private mutating func couple(
    _ unit: UInt32, _ state: Unit, _ log: LogView, _ texts: LogTexts,
    _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> UInt32? {
    var others = Set(groups.units.filter { isDeviceless($0) })
    for use in state.couplings {
      for other in try tables.units(touching: use.coupling, in: view) {
        others.insert(try root(of: other.unit, tables, view))
      }
    }
    // Where the context changed, units may share what they did not when they were stored.
    if !change.isEmpty {
      for other in try tables.coupledUnits(in: view) {
        others.insert(try root(of: other, tables, view))
      }
    }
    others.remove(unit)
    for other in others.sorted() {
      guard let neighbour = try foldedState(of: other, log, texts, tables, view) else { continue }
      let isShared = state.couplings.contains { use in
        neighbour.couplings.contains {
          $0.coupling == use.coupling && ($0.writes || use.writes)
        }
      }
      guard isShared else { continue }
      folded[unit] = nil
      folded[other] = nil
      return groups.join(unit, other, &map)
    }
    return nil
  }

  /// Whether the overlay has facts of a unit that state no device.
  private func isDeviceless(_ unit: UInt32) -> Bool {
    groups.places[unit]?.contains { facts[Int($0)].device == 0 } ?? false
  }

  /// What a unit has become by now.
  private mutating func root(
    of unit: UInt32, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> UInt32 {
    // Unit 0 has no name that would find it.
    unit == 0 ? 0 : try self.unit(of: unit, tables, view) ?? unit
  }

  private mutating func foldedState(
    of unit: UInt32, _ log: LogView, _ texts: LogTexts, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> Unit? {
    if let known = folded[unit] { return known }
    if let state = try advanced(unit, texts, tables, view) { return state }
    let all = try allFacts(of: unit, log, tables, view)
    if all.isEmpty { return nil }
    let state = Unit.fold(all, context: context, texts: texts)
    try texts.check()
    folded[unit] = state
    return state
  }

  /// The stored state with the unit's new facts, where they follow on it.
  private mutating func advanced(
    _ unit: UInt32, _ texts: LogTexts, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> Unit? {
    guard groups.absorbed[unit] == nil, let row = try UnitRow(unit, view, tables),
      var state = row.unit, change.isEmpty || !state.isAffected(by: change)
    else { return nil }
    let fresh = groups.facts(of: unit, in: facts).filter { $0.position > row.foldedThrough }
    if fresh.isEmpty { return state }
    let advances = state.advance(fresh.inFoldOrder(texts), context: context, texts: texts)
    try texts.check()
    guard advances else { return nil }
    folded[unit] = state
    return state
  }

  /// Every fact of a unit, or of the shared context, stored or new.
  ///
  /// - Complexity: O(*n* log *n*) in their number.
  func allFacts(
    of unit: UInt32, _ log: LogView, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> [Fact] {
    var positions: [UInt64] = []
    for member in groups.members(of: unit) {
      positions += try tables.positions(of: member, in: view)
        .filter { $0 <= checkpoint.position }
    }
    positions.sort()
    let fresh = unit == IndexKey.contextUnit ? contextFacts : groups.facts(of: unit, in: facts)
    return try log.facts(at: positions) + fresh
  }
}
