import LedgerEvents
import LedgerModel
import LedgerQueries

@testable import Replay

/// A replay that asks for everything again at each event: the lines from whole answers of the
/// model, and all findings. What a replay tells is what changes between two of these.
struct WholeReplay {
  private let texts: NumberedEvents
  private let background: Set<UInt64>
  private let steps: Set<UInt64>?
  private let events: [RecordedEvent]

  init(_ events: [RecordedEvent], steps: Set<UInt64>? = nil, background: Set<UInt64> = []) {
    self.events = events
    self.steps = steps
    self.background = background
    texts = NumberedEvents(events)
  }

  /// The steps, each from two folds of everything up to it.
  func run() -> [ReplayStep] {
    var reported: [ReplayStep] = []
    var lines: [ReplaySubject: ReplayStanding] = [:]
    var findings: [Finding] = []
    var folded = 0
    for index in events.indices where steps?.contains(events[index].position) ?? true {
      var earlierChanges: [ReplayChange] = []
      if index > folded {
        let before = lines
        (lines, findings) = state(of: texts.facts[..<index])
        earlierChanges = Self.changes(from: before, to: lines)
      }
      let (now, found) = state(of: texts.facts[...index])
      reported.append(
        ReplayStep(
          event: events[index], changes: Self.changes(from: lines, to: now),
          earlierChanges: earlierChanges,
          broken: Self.surplus(of: found, over: findings).map { .init($0, texts: texts) },
          settled: Self.surplus(of: findings, over: found).map { .init($0, texts: texts) }))
      (lines, findings) = (now, found)
      folded = index + 1
    }
    return reported
  }

  private func state(
    of facts: ArraySlice<Fact>
  ) -> (lines: [ReplaySubject: ReplayStanding], findings: [Finding]) {
    let ledger = InMemoryLedger(folding: Array(facts), texts: texts)
    let reported = Set(
      facts.filter { !background.contains($0.position) }.compactMap(ledger.unitNumber(of:)))
    var lines = WholeLines(ledger, texts)
    var found = LedgerFindings(texts: texts)
    ledger.forEachUnit { number, unit in
      guard reported.contains(number) else { return }
      lines.add(unit)
      found.addBroken(by: unit, ledger.observations(of:))
    }
    return (lines.lines, found.sorted)
  }

  private static func changes(
    from before: [ReplaySubject: ReplayStanding], to after: [ReplaySubject: ReplayStanding]
  ) -> [ReplayChange] {
    Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted().map {
      ReplayChange(subject: $0, before: before[$0], after: after[$0])
    }
  }

  private static func surplus(of findings: [Finding], over others: [Finding]) -> [Finding] {
    var left = others
    return findings.filter { finding in
      guard let index = left.firstIndex(of: finding) else { return true }
      left.remove(at: index)
      return false
    }
  }
}

/// The lines of units, from whole answers.
private struct WholeLines {
  private let ledger: InMemoryLedger
  private let texts: NumberedEvents
  private(set) var lines: [ReplaySubject: ReplayStanding] = [:]

  init(_ ledger: InMemoryLedger, _ texts: NumberedEvents) {
    self.ledger = ledger
    self.texts = texts
  }

  mutating func add(_ unit: Unit) {
    for transaction in unit.standings {
      var sheet = LineSheet()
      sheet.write(transaction, texts)
      lines.merge(sheet.lines) { $1 }
    }
    for environment in StoreEnvironment.allCases {
      guard let moment = ledger.newestEvent(in: environment) else { continue }
      add(unit, environment, at: moment)
    }
  }

  private mutating func add(_ unit: Unit, _ environment: StoreEnvironment, at moment: Int64) {
    let only = EnvironmentSet(environment)
    func answer(_ subject: Subject) -> Answer {
      unit.answer(
        subject, environments: only, at: moment, context: ledger.context, texts: texts)
    }
    var held: Set<NameNumber> = []
    for account in unit.knownAccounts {
      let owner = texts.text(of: account)
      held.formUnion(unit.standings(of: .account(account), environments: only).map(\.number))
      add(answer(.account(account)), environment, owner: owner, original: nil)
      for content in unit.installed(.account(account), environments: only) {
        let subject = ReplaySubject(
          kind: .installed, environment: environment, account: owner, transaction: nil,
          device: texts.name(content.device), name: texts.text(of: content.product))
        lines[subject] = ReplayStanding(text: content.version.text)
      }
    }
    for transaction in unit.standings
    where transaction.environment == environment && !held.contains(transaction.number)
      && !texts.isPayment(transaction.number)
    {
      add(
        answer(.transaction(transaction.number)), environment, owner: nil,
        original: texts.text(of: transaction.original))
    }
  }

  private mutating func add(
    _ answer: Answer, _ environment: StoreEnvironment, owner: Name?, original: Name?
  ) {
    func subject(_ kind: ReplaySubject.Kind, _ name: Name) -> ReplaySubject {
      ReplaySubject(
        kind: kind, environment: environment, account: owner, transaction: original, device: nil,
        name: name)
    }
    for entry in answer.entries {
      let name = texts.name(entry.product) ?? entry.entitlement ?? ""
      lines[subject(.entitlement, name)] = ReplayStanding(
        entry.state, end: entry.expiresAt ?? .max)
    }
    for balance in answer.balances {
      lines[subject(.balance, balance.unit)] = ReplayStanding(text: "\(balance.amount)")
    }
  }
}
