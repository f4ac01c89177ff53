internal import LedgerEvents
internal import LedgerModel

/// What a merge keeps in memory of a divided unit, so that the next merge goes on from it.
struct KeptUnit {
  /// `nil` while the fold has it: with two owners, it would be copied.
  fileprivate var state: Unit?
  fileprivate var foldedThrough: UInt64
  let couplings: [CouplingUse]
  /// `nil` while they are followed: with two owners, they would be copied, too.
  var grants: UnitGrants?
  let marks: ObservationMarks
  /// The products of which the unit has observed something.
  let observed: [Unit.ObservedProduct]
  /// The number of facts that the stored report is about.
  fileprivate(set) var reportedFacts: Int
  /// The number of rows in a page.
  let rowsPerPage: Int
  fileprivate var rowCount: Int
  fileprivate var lastUse: UInt64 = 0

  /// - Parameters:
  ///   - state: The state as it is stored.
  ///   - foldedThrough: The position up to which it is folded.
  init(
    _ state: Unit, foldedThrough: UInt64, grants: UnitGrants, marks: ObservationMarks,
    observed: [Unit.ObservedProduct], reportedFacts: Int, _ layout: UnitLayout
  ) {
    var state = state
    state.markStored()
    rowCount = state.rowCount + state.journalCount
    rowsPerPage = layout.rowsPerPage
    couplings = state.couplings
    self.state = state
    self.foldedThrough = foldedThrough
    self.grants = grants
    self.marks = marks
    self.observed = observed
    self.reportedFacts = reportedFacts
  }
}

/// The large units that merges have written last, as values. They are what the store holds, so a
/// merge that fails must be followed by an empty set.
struct KeptUnits {
  /// The maximum number of rows that are kept: at about 100 bytes each, some hundred megabytes. A
  /// single unit is kept whatever its size, because reading it again for each event costs more.
  static let rowsMax = 2_000_000

  private var units: [UnitNumber: KeptUnit] = [:]
  private var rowCount = 0
  private var uses: UInt64 = 0

  /// Takes the state out, so that the fold can continue it in place.
  mutating func take(_ unit: UnitNumber) -> (state: StoredState, rest: KeptUnit)? {
    guard var kept = units.removeValue(forKey: unit) else { return nil }
    rowCount -= kept.rowCount
    let state = kept.state.take()
    return (StoredState(foldedThrough: kept.foldedThrough, unit: state), kept)
  }

  /// The stored row of a unit that is kept; `nil` if it is not.
  func row(of unit: UnitNumber) -> UnitRow? {
    guard let kept = units[unit], let state = kept.state else { return nil }
    var row = UnitRow(foldedThrough: kept.foldedThrough, unit: state)
    row.rowsPerPage = kept.rowsPerPage
    return row
  }

  mutating func forget(_ unit: UnitNumber) {
    if let former = units.removeValue(forKey: unit) { rowCount -= former.rowCount }
  }

  /// A unit that is no longer kept.
  struct Leaving {
    var unit: UnitNumber
    var state: Unit
    /// Whether the stored report lacks facts that the state has.
    var isReportBehind: Bool
  }

  /// Keeps a unit, and lets go of those that were used least recently if there are too many rows.
  /// Returns these.
  mutating func keep(_ kept: KeptUnit, as unit: UnitNumber, rowsMax: Int) -> [Leaving] {
    forget(unit)
    uses += 1
    rowCount += kept.rowCount
    units[unit] = kept
    units[unit]?.lastUse = uses
    var leaving: [Leaving] = []
    while rowCount > rowsMax, units.count > 1,
      let oldest = units.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      forget(oldest.key)
      if let state = oldest.value.state {
        leaving.append(
          Leaving(
            unit: oldest.key, state: state,
            isReportBehind: oldest.value.reportedFacts < state.factCount))
      }
    }
    return leaving
  }

  /// Forgets the moments to which units could go back, where something has changed in the context
  /// on which their states there may rest.
  mutating func forgetMarks(restingOn change: ContextChange) {
    if change.isEmpty { return }
    for unit in Array(units.keys) { units[unit]?.state?.forgetMarks(restingOn: change) }
  }

  /// Calls `body` with each unit whose stored report lacks facts, and notes that it has them.
  mutating func reportBehind(_ body: (UnitNumber, Unit) -> Void) {
    for unit in units.keys.sorted() {
      guard let state = units[unit]?.state, let reported = units[unit]?.reportedFacts,
        reported < state.factCount
      else { continue }
      body(unit, state)
      units[unit]?.reportedFacts = state.factCount
    }
  }
}
