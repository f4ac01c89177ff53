import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerQueries
@testable import LedgerStore

/// All results of one way of folding a ledger: the states of all units as bytes, the findings, and
/// what every account has.
private struct FoldedStatement: Equatable {
  var states: [UnitNumber: [UInt8]] = [:]
  var findings: [Finding] = []
  /// For each account, the row that is stored for lookups.
  var answers: [NameNumber: [UInt8]] = [:]

  init(_ ledger: InMemoryLedger, _ texts: LogTexts) throws(LedgerError) {
    var units: [(UnitNumber, LedgerModel.Unit)] = []
    ledger.forEachUnit { number, unit in units.append((number, unit)) }
    for (number, unit) in units { try add(unit, called: number, ledger.context, texts) }
    findings = ledger.findings
    for environment in StoreEnvironment.allCases {
      guard let moment = ledger.newestEvent(in: environment) else { continue }
      findings += ledger.findings(at: moment, in: environment)
    }
    findings.sort()
  }

  init(_ view: LedgerView) throws(LedgerError) {
    var walk = try view.units()
    while try walk.advance() {
      guard let state = try walk.state() else { continue }
      try add(state, called: walk.unit, view.reader.overlay.context, view.reader.texts)
    }
    findings = try view.currentFindings(FindingsQuery())
  }

  private mutating func add(
    _ unit: LedgerModel.Unit, called number: UnitNumber, _ context: SharedContext, _ texts: LogTexts
  ) throws(LedgerError) {
    states[number] = unit.encoded()
    var grants = UnitGrants(of: unit, context: context, texts: texts)
    for (account, row) in try AnswerRow.all(of: unit, called: number, &grants, context, texts) {
      answers[account] = row.encoded
    }
  }

  /// Returns the differences from another way of folding.
  func differences(from other: FoldedStatement) -> [String] {
    var found: [String] = []
    for unit in Set(states.keys).union(other.states.keys).sorted()
    where states[unit] != other.states[unit] {
      found.append(
        "unit \(unit): \(states[unit]?.count ?? -1) bytes, not \(other.states[unit]?.count ?? -1)")
    }
    if findings != other.findings {
      found.append("\(findings.count) findings, not \(other.findings.count), or in other order")
    }
    for account in Set(answers.keys).union(other.answers.keys).sorted()
    where answers[account] != other.answers[account] {
      found.append("account \(account) has something else")
    }
    return found
  }
}

/// One reducer and one driver: however the facts of a ledger are folded, every unit has the same
/// bytes.
@Suite("Every way of folding") struct FoldAgreementTests {
  private let walk: LedgerWalk

  init() throws { walk = try LedgerWalk() }

  private static func history(
    _ seed: UInt64, _ kind: Int, _ random: inout SeededRandom
  ) -> [RecordedEvent] {
    switch kind {
    case 0: Histories.dense(seed: seed, count: 70)
    case 1: RecordedEvent.shuffled(Histories.dense(seed: seed, count: 70), seed: seed)
    case 2: RecordedEvent.shuffled(Histories.realistic(seed: seed, count: 120), seed: seed)
    case 3: Histories.sparse(seed: seed, count: 150, accounts: 8)
    case 4: Histories.dense(seed: seed, count: 70).mostlyWithoutDevices(&random)
    default:
      RecordedEvent.shuffled(
        Histories.dense(seed: seed, count: 70).mostlyWithoutDevices(&random), seed: seed)
    }
  }

  @Test(
    "gives the same states, findings and answers", arguments: 0..<6, 700..<710 as Range<UInt64>)
  func agrees(kind: Int, seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 0xF01D)
    let ledger = try walk.ledger()
    let events = Self.history(seed, kind, &random)
    let stages = try stagesOfFolding(events, into: ledger, pieces(of: events.count, &random))
    let texts = LogTexts(ledger.log)
    let facts = try ledger.log.read { (view) throws(LedgerError) in
      try FactBatch(1...view.lastPosition, view, ledger.log.identity.keyHash, indexesIDs: false)
        .facts
    }
    let atOnce = try FoldedStatement(InMemoryLedger(folding: facts, texts: texts), texts)
    #expect(stages.last?.position == UInt64(facts.count))
    #expect(!atOnce.states.isEmpty && !atOnce.answers.isEmpty)

    var growing = InMemoryLedger(texts: texts)
    for piece in pieces(of: facts.count, &random) {
      growing.append(Array(facts[piece]))
      let fresh = InMemoryLedger(folding: Array(facts[..<piece.upperBound]), texts: texts)
      #expect(
        try FoldedStatement(growing, texts).differences(from: FoldedStatement(fresh, texts)) == [],
        "growing in memory, seed \(seed), kind \(kind), \(piece)")
    }

    for (position, statement) in stages {
      #expect(
        statement.differences(from: atOnce) == [],
        "projections through \(position) with the tail, seed \(seed), kind \(kind)")
    }
    try expectSamePast(ledger, facts, &random, "seed \(seed), kind \(kind)")
    try ledger.rebuild()
    let rebuilt = try ledger.read { (view) throws(LedgerError) in try FoldedStatement(view) }
    #expect(rebuilt.differences(from: atOnce) == [], "rebuilt, seed \(seed), kind \(kind)")
  }

  /// Compares the units of past moments, as questions about them fold them, with those of a ledger
  /// that has only the facts of that time.
  private func expectSamePast(
    _ ledger: Ledger, _ facts: [Fact], _ random: inout SeededRandom, _ note: Comment
  ) throws {
    let end = UInt64(1 + random.below(facts.count))
    let moment = Instant(microseconds: random.one(of: facts).occurredAt)
    let texts = LogTexts(ledger.log)
    for clocks in [Clocks(asOf: .position(end)), Clocks(at: moment)] {
      let known = facts.filter {
        clocks.at == nil ? $0.position <= end : $0.occurredAt <= moment.microseconds
      }
      let expected = InMemoryLedger(folding: known, texts: texts)
      try ledger.read { (view) throws(LedgerError) in
        for unit in expected.units {
          for account in unit.knownAccounts {
            guard let number = try view.foldedUnitNumber(of: account) else {
              Issue.record("account \(account) has no unit: \(note)")
              continue
            }
            let found = try view.inMemoryLedger(of: number, at: clocks).unit(of: account)
            #expect(
              found?.encoded() == expected.unit(of: account)?.encoded(),
              "account \(account) at \(clocks): \(note)")
          }
        }
      }
    }
  }

  /// Appends events and folds them into the projections piece by piece. Returns the results after
  /// each piece, with the rest as its tail. At the end, there is no tail.
  private func stagesOfFolding(
    _ events: [RecordedEvent], into ledger: Ledger, _ pieces: [Range<Int>]
  ) throws -> [(position: UInt64, FoldedStatement)] {
    let batch = events.map {
      EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt)
    }
    // No background fold may run, so that the content of the tail is known.
    return try ledger.schedule.whileNobodyFolds { () throws(LedgerError) in
      try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
      var stages: [(position: UInt64, FoldedStatement)] = []
      for end in [0] + pieces.map({ UInt64($0.upperBound) }) {
        guard let projections = try ledger.source.live() else { return [] }
        let reached = try Projector(log: ledger.log, projections: projections).step(through: end)
        guard reached.position == end else { return [] }
        let statement = try ledger.read { (view) throws(LedgerError) in
          try FoldedStatement(view)
        }
        stages.append((end, statement))
      }
      return stages
    }
  }

  private func pieces(of count: Int, _ random: inout SeededRandom) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    while (pieces.last?.upperBound ?? 0) < count {
      let start = pieces.last?.upperBound ?? 0
      pieces.append(start..<min(count, start + 1 + random.below(40)))
    }
    return pieces
  }
}
