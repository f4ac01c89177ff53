internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The log's events after the projections, folded in memory for queries.
///
/// It grows with the log and starts afresh when the projections have advanced.
struct TailOverlay {
  /// Where the projections end and the overlay begins.
  let checkpoint: Checkpoint
  /// The last position that it contains.
  private(set) var through: UInt64
  private(set) var units: UnitSet
  private let map: UnitMap
  private let texts: LogTexts
  /// The numbers of names that are not yet in the index, by the key of their hash.
  private var names: [UInt64: [NameNumber]] = [:]
  private var nameThrough: NameNumber

  /// The maximum number of events that queries fold in memory, about 150 bytes each. Beyond that,
  /// the projections must be folded first.
  static let eventsMax: UInt64 = 2_000_000

  init(after checkpoint: Checkpoint, _ context: SharedContext, _ texts: LogTexts) {
    self.checkpoint = checkpoint
    self.texts = texts
    map = UnitMap(through: checkpoint.name)
    units = UnitSet(context: context, texts: texts)
    through = checkpoint.position
    nameThrough = checkpoint.name
  }

  /// The shared context with everything that is in the overlay.
  var context: SharedContext { units.context }

  /// The events after the projections, in the order of arrival.
  var facts: [Fact] { units.facts }

  /// Whether there are no events after the projections.
  var isEmpty: Bool { through == checkpoint.position }

  /// Adds the new events up to `end`.
  ///
  /// - Complexity: O(*k*) in the number of new events.
  mutating func extend(
    through end: UInt64, _ log: LogView, _ keyHash: KeyHash, _ tables: ProjectionTables,
    _ view: TransactionView
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
    let batch = try FactBatch(through + 1...end, of: texts.log, in: log, indexesIDs: false)
    var stored = stored(log, tables, view)
    try units.append(batch.facts, in: &stored)
    if batch.lastName > nameThrough {
      for number in nameThrough + 1...batch.lastName {
        names[IndexKey.of(try log.nameHash(number, keyHash)), default: []].append(number)
      }
      nameThrough = batch.lastName
    }
    through = end
    checkInvariants(log)
  }

  /// Checks in debug builds that the overlay holds exactly the log's events after the projections.
  private func checkInvariants(_ log: LogView) {
    assert(UInt64(units.facts.count) == through - checkpoint.position, "the tail has gaps")
    assert(units.facts.last?.position == through, "the tail does not end at \(through)")
    assert(through <= log.lastPosition, "the tail is ahead of the log")
  }

  /// The numbers of names that are not yet in the index and may have the hash.
  func numbers(of hash: UInt64) -> [NameNumber] { names[IndexKey.of(hash)] ?? [] }

  /// The unit of a name; `nil` if no fact names it.
  func unit(
    of number: NameNumber, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> UnitNumber? {
    var parents = StoredParents(map, tables.unitMap, view)
    return try parents.findUnit(of: number)
  }

  /// The state of a unit with everything that is in the overlay; `nil` if it has no facts.
  ///
  /// - Complexity: as `UnitSet.state(of:in:)`.
  mutating func state(
    of unit: UnitNumber, _ log: LogView, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) -> Unit? {
    var stored = stored(log, tables, view)
    return try units.state(of: unit, in: &stored)
  }

  /// Joins all units that share state of the absent device, as far as the overlay touches them.
  ///
  /// - Complexity: O(*u*) in the units that the overlay touches, each folded once.
  mutating func joinCoupled(
    _ log: LogView, _ tables: ProjectionTables, _ view: TransactionView
  ) throws(LedgerError) {
    var stored = stored(log, tables, view)
    try units.joinAll(in: &stored)
  }

  /// The facts of a unit, or of the fold context, that are within the limits of a selection, in the
  /// order of their positions: those of the stored ones that are needed, and all new ones.
  ///
  /// - Complexity: O(*n*) in the number of the unit's facts; only those up to its end are read.
  func facts(
    of unit: UnitNumber, _ selection: FactSelection, _ log: LogView, _ tables: ProjectionTables,
    _ view: TransactionView
  ) throws(LedgerError) -> [Fact] {
    var stored = stored(log, tables, view, selection)
    var facts =
      unit == IndexKey.contextUnit
      ? try stored.facts(of: unit, absorbing: []) + units.contextFacts
      : try units.allFacts(of: unit, in: &stored)
    facts.removeAll { !selection.includes($0) }
    // The facts of units that were joined or parted come one unit after the other.
    facts.sort { $0.position < $1.position }
    return facts
  }

  @_lifetime(copy log, copy view)
  private func stored(
    _ log: LogView, _ tables: ProjectionTables, _ view: TransactionView,
    _ selection: FactSelection = .all
  ) -> StoredUnits {
    StoredUnits(through: checkpoint.position, selection, map, log, texts, tables, view)
  }
}
