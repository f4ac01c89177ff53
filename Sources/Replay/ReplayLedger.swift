internal import LedgerEvents
internal import LedgerModel

/// The in-memory ledger of a replay, with what is shown of its units after each event.
struct ReplayLedger {
  let texts: NumberedEvents
  private(set) var ledger: InMemoryLedger
  private var found: ReplayFindings
  /// By environment: the believed moment of its newest event.
  private var moments: [StoreEnvironment: Int64] = [:]
  /// By unit: the newest events of its environments.
  private var newest: [UnitNumber: [StoreEnvironment: Int64]] = [:]
  /// The units that are more than background.
  private var told: Set<UnitNumber> = []
  /// All facts, to find their units again after one was parted.
  private var arrived: [Fact] = []
  /// The positions of facts that others are judged against, and no more.
  private let background: Set<UInt64>

  init(texts: NumberedEvents, background: Set<UInt64> = []) {
    self.texts = texts
    self.background = background
    ledger = InMemoryLedger(texts: texts)
    found = ReplayFindings(texts: texts)
  }

  /// Takes in the next facts, in the order of arrival.
  ///
  /// - Complexity: as `InMemoryLedger.append`, and O(*k*) in what the facts broke; O(*n*) in the
  ///   findings of the units that are folded anew, and in all facts where a unit is parted.
  mutating func append(_ facts: ArraySlice<Fact>) {
    let partingCount = ledger.partingCount
    ledger.append(Array(facts))
    arrived += facts
    let changes = ledger.lastChanges
    if partingCount == ledger.partingCount {
      for absorbed in changes.absorbed where told.remove(absorbed) != nil {
        if let unit = ledger.currentNumber(ofUnit: absorbed) { told.insert(unit) }
      }
      tell(facts)
    } else {
      told.removeAll()
      tell(arrived[...])
    }
    noteMoments(changes)
    found.update(ledger, changes) { [told] in !told.contains($0) }
  }

  private mutating func tell(_ facts: ArraySlice<Fact>) {
    for fact in facts where !background.contains(fact.position) {
      if let unit = ledger.unitNumber(of: fact) { told.insert(unit) }
    }
  }

  /// What the events broke so far, in order.
  var findings: [Finding] { found.sorted }

  /// What was found, and what no longer is, since the last call, each in order.
  mutating func takeFindings() -> (broken: [Finding], settled: [Finding]) { found.takeChanges() }

  /// Whether what becomes of a unit is not told.
  func isBackground(_ unit: UnitNumber) -> Bool { !told.contains(unit) }

  /// The believed moment of the newest event in an environment; `nil` before any.
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

  /// The rules of the second table that hold in the end.
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
