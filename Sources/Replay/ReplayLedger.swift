internal import LedgerEvents
internal import LedgerModel

/// The in-memory ledger of a replay, with the findings that are told of it after each event.
struct ReplayLedger {
  /// What is kept of a unit between events.
  private struct Judged {
    var version: Int
    /// Of the unit alone.
    var findings: [Finding]
    /// Whether others are asked about for more of them.
    var isJudgedByAll: Bool
  }

  let texts: NumberedEvents
  private(set) var ledger: InMemoryLedger
  /// Counted up where the context may have changed.
  private(set) var contextVersion = 0
  /// All broken rules of the first table, in order.
  private(set) var findings: [Finding] = []
  /// Counted up where the findings may have changed.
  private(set) var findingsVersion = 0
  private var judged: [UnitNumber: Judged] = [:]
  /// Some of the findings are judged by what all units observed.
  private var isAnyJudgedByAll = false
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
  }

  /// Takes in the next facts, in the order of arrival.
  ///
  /// - Complexity: as `InMemoryLedger.append`, and O(*n*) in the findings so far.
  mutating func append(_ facts: [Fact]) {
    let partingCount = ledger.partingCount
    if ledger.append(facts) { contextVersion += 1 }
    arrived += facts
    if partingCount == ledger.partingCount {
      told = Set(told.compactMap(ledger.currentNumber(ofUnit:)))
      tell(facts)
    } else {
      told.removeAll()
      tell(arrived)
    }
    judge()
  }

  private mutating func tell(_ facts: [Fact]) {
    for fact in facts where !background.contains(fact.position) {
      if let unit = ledger.unitNumber(of: fact) { told.insert(unit) }
    }
  }

  /// Whether what becomes of a unit is not told.
  func isBackground(_ unit: UnitNumber) -> Bool { !told.contains(unit) }

  /// Brings the findings up to what the units are now.
  private mutating func judge() {
    var isChanged = false
    var now: [UnitNumber: Judged] = [:]
    ledger.forEachUnit { number, version, unit in
      if isBackground(number) { return }
      let before = judged[number]
      if let before, before.version == version {
        now[number] = before
        return
      }
      let findings = unit.findings
      isChanged = isChanged || findings != before?.findings ?? []
      now[number] = Judged(
        version: version, findings: findings, isJudgedByAll: !unit.judgedProducts.isEmpty)
    }
    for (number, gone) in judged where now[number] == nil && !gone.findings.isEmpty {
      isChanged = true
    }
    judged = now
    let wasAnyJudgedByAll = isAnyJudgedByAll
    isAnyJudgedByAll = now.values.contains(where: \.isJudgedByAll)
    guard isChanged || isAnyJudgedByAll || wasAnyJudgedByAll else { return }
    var found = LedgerFindings(texts: texts)
    ledger.forEachUnit { number, _, unit in
      guard let judged = now[number] else { return }
      found.add(judged.findings)
      if judged.isJudgedByAll { found.addJudgedByAll(in: unit, ledger.observations(of:)) }
    }
    findings = found.sorted
    findingsVersion += 1
  }

  /// The rules of the second table that hold at the newest event of each environment.
  func findingsAtTheEnd(_ thresholds: Thresholds) -> [Finding] {
    var found = LedgerFindings(texts: texts, thresholds: thresholds)
    for environment in StoreEnvironment.allCases {
      guard let moment = ledger.newestEvent(in: environment) else { continue }
      found.moments.append((environment, moment))
    }
    ledger.forEachUnit { number, _, unit in
      if isBackground(number) { return }
      found.addOpen(in: unit, ledger.context, ledger.observations(of:))
    }
    found.addAbsentDevice(ledger.context)
    return found.sorted
  }
}
