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
      if record.environment == nil && units.isFull {
        let ledger = try inMemoryLedger(at: units.clocks)
        return environments.members.reduce(into: [:]) { $0[$1] = ledger.newestEvent(in: $1) }
      }
      let counts = try environment(of: try fact(at: cursor.position)) {
        (node) throws(LedgerError) in try units.unit(of: node, self)
      }
      for environment in environments.members where counts ?? environment == environment {
        newest[environment] = max(newest[environment] ?? .min, time)
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

  let clocks: Clocks
  private var known: [UnitNumber: Unit] = [:]

  init(through end: UInt64) { clocks = Clocks(asOf: .position(end)) }

  var isFull: Bool { known.count >= Self.countMax }

  /// The unit of a name, of use only for what it says about environments.
  mutating func unit(
    of node: NameNumber, _ view: borrowing LedgerView
  ) throws(LedgerError) -> Unit? {
    guard let unit = try view.foldedUnitNumber(of: node) else { return nil }
    if let known = known[unit] { return known }
    // What is left out for entitlements states no other environment.
    let folded = try view.unit(
      numbered: unit, at: clocks, entitlementsAt: .max, try view.context(at: clocks))
    known[unit] = folded
    return folded
  }
}
