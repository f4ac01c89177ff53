internal import LedgerEvents
internal import LedgerModel
internal import LedgerStore

extension LedgerView {
  /// Believed `occurredAt` of the newest event that counts in each environment, of the events up to
  /// a position and by what they say. An environment without any is left out.
  ///
  /// What is newest is nearly always among the last events, so hardly any but these are looked at
  /// more closely. If many are, everything is folded at once.
  ///
  /// - Complexity: O(*n*) in the events up to the position, by their headers. O(*m*) in the events
  ///   of the units of those that are newer than all after them and state no environment, and as
  ///   `inMemoryLedger(at:)` if these units are many.
  func newestEvents(
    in environments: EnvironmentSet, through end: UInt64
  ) throws(LedgerError) -> [StoreEnvironment: Int64] {
    var newest: [StoreEnvironment: Int64] = [:]
    if end == 0 || environments.isEmpty { return newest }
    // Whatever is not after this is not the newest anywhere.
    var oldest = Int64.min
    var units = PastUnits(through: end)
    var cursor = try log.records(in: 1...end, reverse: true)
    while try cursor.next() {
      let record = try cursor.record()
      let time = record.believedAt.microseconds
      if time <= oldest { continue }
      let open = environments.members.filter { time > newest[$0] ?? .min }
      var counts = record.environment
      if counts == nil {
        if units.isFull {
          let ledger = try inMemoryLedger(at: Clocks(asOf: .position(end)))
          return environments.members.reduce(into: [:]) { $0[$1] = ledger.newestEvent(in: $1) }
        }
        counts = try units.environment(of: cursor.position, self)
      }
      for environment in open where counts ?? environment == environment {
        newest[environment] = time
      }
      oldest = environments.members.map { newest[$0] ?? .min }.min() ?? .max
    }
    return newest
  }
}

/// Units as they were when the ledger ended at a position, each folded once.
private struct PastUnits {
  /// With more units, it costs less to fold everything.
  #if DEBUG
    private static let countMax = 4
  #else
    private static let countMax = 256
  #endif

  private let end: UInt64
  private var known: [UnitNumber: Unit] = [:]

  init(through end: UInt64) { self.end = end }

  var isFull: Bool { known.count >= Self.countMax }

  /// The environment that an event counted in; `nil` if it counted in every one.
  mutating func environment(
    of position: UInt64, _ view: borrowing LedgerView
  ) throws(LedgerError) -> StoreEnvironment? {
    let fact = try view.fact(at: position)
    if fact.kind.countsInEveryEnvironment { return nil }
    guard let node = UnitNodes(fact).first, let unit = try view.foldedUnitNumber(of: node) else {
      return .production
    }
    if known[unit] == nil {
      let clocks = Clocks(asOf: .position(end))
      known[unit] = UnitSet.fold(
        connected: try view.facts(of: unit, at: clocks, entitlementsAt: .max),
        context: try view.context(at: clocks), texts: view.texts)
      try view.texts.check()
    }
    return known[unit]?.environment(of: fact) ?? .production
  }
}
