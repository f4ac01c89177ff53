public import LedgerEvents
public import LedgerHistories
public import LedgerModel

/// The differences between an in-memory ledger's answers and the expected ones.
public struct InMemoryComparison {
  public var differences: [String] = []
  private let ledger: FoldedLedger
  private let folded: InMemoryLedger
  /// For each position of an event in order of arrival, the one in the expectations.
  private let expectedPosition: [UInt64: UInt64]

  public init(
    _ ledger: FoldedLedger, _ folded: InMemoryLedger, expectedPosition: [UInt64: UInt64] = [:]
  ) {
    self.ledger = ledger
    self.folded = folded
    self.expectedPosition = expectedPosition
  }

  private var arrivesInOrder: Bool { expectedPosition.isEmpty }

  /// Compares the answers for one environment.
  ///
  /// - Parameter isNewest: Whether the expectation is for the newest store time of the environment.
  public mutating func compare(
    _ environment: StoreEnvironment, _ expected: Expectation, isNewest: Bool = true
  ) {
    let at = folded.newestEvent(in: environment)
    if isNewest && at != expected.at.microseconds {
      differences.append("\(environment) judged elsewhere")
    }
    var surplus: [String: Int] = [:]
    for finding in folded.findings where finding.environment == environment {
      guard arrivesInOrder || finding.rule != .arrivedLate else { continue }
      let position = expectedPosition[finding.position] ?? finding.position
      surplus["\(finding.rule.id)@\(position)", default: 0] += 1
    }
    for finding in expected.findings {
      guard arrivesInOrder || finding.rule != "arrived-late" else { continue }
      surplus["\(finding.rule)@\(finding.position)", default: 0] -= 1
    }
    note(environment, surplus)
    let moment = expected.at.microseconds
    var held: [String: Int] = [:]
    for finding in folded.findings(at: moment, in: environment) {
      held[finding.rule.id, default: 0] += 1
    }
    for (rule, count) in expected.moment { held[rule, default: 0] -= count }
    note(environment, held)
    for (name, account) in expected.accounts {
      compare(name, account, environment, at: moment)
    }
  }

  private mutating func note(_ environment: StoreEnvironment, _ surplus: [String: Int]) {
    for (finding, count) in surplus.sorted(by: { $0.key < $1.key }) where count != 0 {
      differences.append("\(environment) \(finding) \(count > 0 ? "+" : "")\(count)")
    }
  }

  private mutating func compare(
    _ name: Name, _ expected: Expectation.Account, _ environment: StoreEnvironment, at: Int64
  ) {
    let account = ledger.number(.account, name)
    let answer = folded.answer(
      .account(account), environments: EnvironmentSet(environment), at: at)
    var states: [Name: String] = [:]
    for entry in answer.entries where entry.product != 0 {
      states[ledger.text(of: entry.product)] = entry.state.text
    }
    var installed: [Name?: [Name: String]] = [:]
    for content in folded.installed(
      .account(account), environments: EnvironmentSet(environment))
    {
      let device: Name? = content.device == 0 ? nil : ledger.text(of: content.device)
      installed[device, default: [:]][ledger.text(of: content.product)] = content.version.text
    }
    var balances: [Name: Int64] = [:]
    for balance in answer.balances { balances[balance.unit] = balance.amount }
    let about = "\(environment) \(name)"
    note("\(about) states", expected.states, states)
    note("\(about) active", expected.active, answer.active)
    note("\(about) installed", expected.installed, installed)
    note("\(about) balances", expected.balances, balances)
  }

  private mutating func note<Value: Equatable>(_ about: String, _ expected: Value, _ got: Value) {
    if expected != got { differences.append("\(about): \(got), expected \(expected)") }
  }
}

extension Conformance.History {
  /// Returns the differences between an in-memory ledger with the history's events in some order
  /// and the expectations for the original order.
  public func differences(arriving events: [RecordedEvent]) -> [String] {
    let ledger = FoldedLedger(events)
    return differences(ledger, ledger.folded, arriving: events)
  }

  public func differences(
    _ ledger: FoldedLedger, _ folded: InMemoryLedger, arriving events: [RecordedEvent]
  ) -> [String] {
    var positionById: [Name: UInt64] = [:]
    for recorded in self.events { positionById[recorded.event.id] = recorded.position }
    var expectedPosition: [UInt64: UInt64] = [:]
    for recorded in events { expectedPosition[recorded.position] = positionById[recorded.event.id] }
    let isInOrder = expectedPosition.allSatisfy { $0.key == $0.value }
    var comparison = InMemoryComparison(
      ledger, folded, expectedPosition: isInOrder ? [:] : expectedPosition)
    for (environment, expected) in expected {
      comparison.compare(environment, Expectation(expected))
    }
    return comparison.differences
  }
}
