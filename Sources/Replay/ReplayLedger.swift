internal import LedgerEvents
internal import LedgerModel

/// The in-memory ledger of a replay, with what is shown about its units after each event.
struct ReplayLedger {
  let texts: NumberedEvents
  private(set) var ledger: InMemoryLedger
  private var found: ReplayFindings
  /// The believed time of each environment's newest event.
  private var moments: [StoreEnvironment: Int64] = [:]
  /// The believed times of each unit's newest events, by environment.
  private var newest: [UnitNumber: [StoreEnvironment: Int64]] = [:]
  /// The units that are not merely background.
  private var reported: Set<UnitNumber> = []
  /// All facts, to find their units again after a unit was parted.
  private var arrived: [Fact] = []
  /// The positions of facts that serve only to judge others.
  private let background: Set<UInt64>

  init(texts: NumberedEvents, background: Set<UInt64> = []) {
    self.texts = texts
    self.background = background
    ledger = InMemoryLedger(texts: texts)
    found = ReplayFindings(texts: texts)
  }

  /// Appends the next facts, in the order of arrival.
  ///
  /// - Complexity: as `InMemoryLedger.append`, and O(*k*) in what the facts broke; O(*n*) in the
  ///   findings of the units that are folded again, and in all facts if a unit is parted.
  mutating func append(_ facts: ArraySlice<Fact>) {
    let partingCount = ledger.partingCount
    ledger.append(Array(facts))
    arrived += facts
    let changes = ledger.lastChanges
    if partingCount == ledger.partingCount {
      for absorbed in changes.absorbed where reported.remove(absorbed) != nil {
        if let unit = ledger.currentNumber(ofUnit: absorbed) { reported.insert(unit) }
      }
      noteReported(facts)
    } else {
      reported.removeAll()
      noteReported(arrived[...])
    }
    noteMoments(changes)
    found.update(ledger, changes) { [reported] in !reported.contains($0) }
  }

  private mutating func noteReported(_ facts: ArraySlice<Fact>) {
    for fact in facts where !background.contains(fact.position) {
      if let unit = ledger.unitNumber(of: fact) { reported.insert(unit) }
    }
  }

  /// The findings of the events so far, in order.
  var findings: [Finding] { found.sorted }

  /// Returns the findings that have appeared and those that have disappeared since the last call,
  /// each in order.
  mutating func takeFindings() -> (broken: [Finding], settled: [Finding]) { found.takeChanges() }

  /// Whether the changes of a unit are not reported.
  func isBackground(_ unit: UnitNumber) -> Bool { !reported.contains(unit) }

  /// The believed time of the newest event in an environment; `nil` before the first one.
  func moment(of environment: StoreEnvironment) -> Int64? { moments[environment] }

  private mutating func noteMoments(_ changes: UnitChanges) {
    var lost: [StoreEnvironment: Int64] = [:]
    func lose(_ former: [StoreEnvironment: Int64]?) {
      for (environment, moment) in former ?? [:] {
        lost[environment] = max(lost[environment] ?? .min, moment)
      }
    }
    for absorbed in changes.absorbed { lose(newest.removeValue(forKey: absorbed)) }
    for number in changes.foldedAnew { lose(newest.removeValue(forKey: number)) }
    for number in changes.written {
      guard let unit = ledger.unit(numbered: number) else { continue }
      for environment in unit.partEnvironments {
        guard let moment = unit.newestEvent(in: environment) else { continue }
        newest[number, default: [:]][environment] = moment
        moments[environment] = max(moments[environment] ?? .min, moment)
        if moment >= lost[environment] ?? .max { lost[environment] = nil }
      }
    }
    for (environment, moment) in lost where moment == moments[environment] {
      moments[environment] = newest.values.compactMap { $0[environment] }.max()
    }
  }

  /// The findings of the rules of the second table at the end.
  func findingsAtTheEnd(_ judgement: ReplayJudgement) -> [Finding] {
    var found = LedgerFindings(texts: texts, thresholds: judgement.thresholds)
    for environment in StoreEnvironment.allCases {
      guard let newest = moment(of: environment) else { continue }
      let moment = judgement.at?.microseconds ?? newest
      found.moments.append((environment, moment))
    }
    ledger.forEachUnit { number, unit in
      if isBackground(number) { return }
      found.addOpen(in: unit, ledger.context, ledger.observations(of:))
    }
    found.addAbsentDevice(ledger.context)
    return found.sorted
  }
}
