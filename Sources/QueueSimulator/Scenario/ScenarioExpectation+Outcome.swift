public import LedgerEvents
internal import LedgerModel

extension ScenarioExpectation {
  /// The actual outcome of events, at the newest event of an environment. Findings are those of
  /// every environment.
  ///
  /// - Parameters:
  ///   - events: In the order in which they were recorded; each id counts once.
  ///   - recordedAt: The ledger's clock for each event, by index, if it is stated.
  ///   - environment: The environment of the entitlements, versions and balances.
  ///   - ground: Ids of the events that lead up to the recording and are not its steps.
  ///   - background: Ids of those in `ground` that are not connected with the steps.
  /// - Precondition: The events are valid.
  /// - Complexity: O(*n* log *n*) in the number of events.
  public init(
    of events: [Event], recordedAt: [Instant?] = [], ground: [Name] = [], background: [Name] = [],
    in environment: StoreEnvironment = .production
  ) {
    self.init()
    let held = RecordedEvent.held(events, recordedAt: recordedAt)
    let ledger = NumberedEvents(held)
    let folded = InMemoryLedger(folding: ledger.facts, texts: ledger)
    let ground = Set(ground)
    let asked = Set(held.filter { !ground.contains($0.event.id) }.map(\.position))
    func rules(_ findings: [Finding]) -> [String] {
      findings.filter { asked.contains($0.position) }.map(\.rule.id)
    }
    findings = rules(folded.findings).sorted()
    for environment in StoreEnvironment.allCases {
      guard let moment = folded.newestEvent(in: environment) else { continue }
      findingsAtTheEnd += rules(folded.findings(at: moment, in: environment))
    }
    findingsAtTheEnd.sort()
    let moment = folded.newestEvent(in: environment) ?? 0
    let background = Set(background)
    let ownEvents = held.filter { !background.contains($0.event.id) }
    var accounts = Set(ownEvents.compactMap(\.event.account))
    accounts.formUnion(ownEvents.compactMap { $0.event.data.name("to") })
    for name in accounts.sorted() {
      let subject = Subject.account(ledger.number(.account, name))
      let only = EnvironmentSet(environment)
      let answer = folded.answer(subject, environments: only, at: moment)
      var states: [Name: String] = [:]
      for name in answer.active { states[name] = "active" }
      for entry in answer.entries where entry.product != 0 {
        states[ledger.text(of: entry.product)] = entry.state.text
      }
      if !states.isEmpty { entitled[name] = states }
      for content in folded.installed(subject, environments: only) {
        let device = content.device == 0 ? Name("") : ledger.text(of: content.device)
        installed[name, default: [:]][device, default: [:]][ledger.text(of: content.product)] =
          content.version
      }
      for balance in answer.balances { balances[name, default: [:]][balance.unit] = balance.amount }
    }
  }

  /// The differences between an outcome and this expectation, as text; empty if there are none.
  public func differences(of outcome: ScenarioExpectation) -> [String] {
    var differences =
      Self.surplus("finding", findings, outcome.findings)
      + Self.surplus("finding at the end", findingsAtTheEnd, outcome.findingsAtTheEnd)
    if let brokenPromises {
      if let found = outcome.brokenPromises {
        differences += Self.surplus("broken promise", brokenPromises, found)
      } else {
        differences.append(
          "broken promises: cannot be checked, because the run ends before its faults stop")
      }
    }
    func compare(_ what: String, _ expected: String?, _ found: String?) {
      if expected != found {
        differences.append(
          "\(what): expected \(expected ?? "nothing"), found \(found ?? "nothing")")
      }
    }
    for account in Set(entitled.keys).union(outcome.entitled.keys).sorted() {
      let expected = (entitled[account] ?? [:]).filter { $0.value != "none" }
      let found = outcome.entitled[account] ?? [:]
      for name in Set(expected.keys).union(found.keys).sorted() {
        compare("\(account) \(name)", expected[name], found[name])
      }
    }
    for account in Set(installed.keys).union(outcome.installed.keys).sorted() {
      let (expected, found) = (installed[account] ?? [:], outcome.installed[account] ?? [:])
      for device in Set(expected.keys).union(found.keys).sorted() {
        let (expected, found) = (expected[device] ?? [:], found[device] ?? [:])
        for product in Set(expected.keys).union(found.keys).sorted() {
          compare(
            "\(account) \(product) installed on \(device)", expected[product]?.text,
            found[product]?.text)
        }
      }
    }
    for account in Set(balances.keys).union(outcome.balances.keys).sorted() {
      let (expected, found) = (balances[account] ?? [:], outcome.balances[account] ?? [:])
      for unit in Set(expected.keys).union(found.keys).sorted() {
        compare(
          "\(account) balance of \(unit)", expected[unit].map { "\($0)" },
          found[unit].map { "\($0)" })
      }
    }
    return differences
  }

  private static func surplus(
    _ what: String, _ expected: [String], _ found: [String]
  ) -> [String] {
    var counts: [String: Int] = [:]
    for id in found { counts[id, default: 0] += 1 }
    for id in expected { counts[id, default: 0] -= 1 }
    return counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { id, count in
      count > 0
        ? "\(what) \(id): \(count) more than expected" : "\(what) \(id): \(-count) missing"
    }
  }
}
