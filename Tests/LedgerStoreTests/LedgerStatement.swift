import LedgerEvents
import LedgerModel
import LedgerOracle
import LedgerQueries

/// The questions to a ledger: the accounts and the store time for each environment.
struct LedgerQuestions {
  var accounts: [StoreEnvironment: [Name]] = [:]
  var moments: [StoreEnvironment: Instant] = [:]

  /// Asks what the oracle has answered, in production and in the environments that an event states.
  init(_ answers: [StoreEnvironment: Oracle.Answer], about events: some Sequence<RecordedEvent>) {
    let stated = Set(events.compactMap(\.event.environment) + [.production])
    for (environment, answer) in answers where stated.contains(environment) {
      accounts[environment] = answer.accounts.keys.sorted()
      moments[environment] = answer.at
    }
  }

  func isAsked(_ account: Name, _ environment: StoreEnvironment) -> Bool {
    guard let names = accounts[environment] else { return false }
    let index = names.partitioningIndex { $0 >= account }
    return index < names.count && names[index] == account
  }

  /// Asks about all accounts of the events, in every environment, at the last time of the events.
  init(_ events: some Collection<RecordedEvent>) {
    let names = Set(events.compactMap(\.event.account)).sorted()
    let latest = events.map(\.event.occurredAt).max() ?? Instant(microseconds: 0)
    for environment in StoreEnvironment.allCases {
      accounts[environment] = names
      moments[environment] = latest
    }
  }
}

extension Array {
  /// Returns the first index at which a predicate holds, if it holds for a suffix.
  fileprivate func partitioningIndex(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// All answers of a ledger or of the oracle, as lines that can be compared.
struct LedgerStatement {
  private var counts: [String: Int] = [:]

  mutating func add(_ environment: StoreEnvironment, _ line: String) {
    counts["\(environment) \(line)", default: 0] += 1
  }

  /// Returns the lines whose number differs from the expected one, with the difference.
  func differences(from expected: LedgerStatement) -> [String] {
    let surplus = counts.merging(expected.counts.mapValues { -$0 }, uniquingKeysWith: +)
    return surplus.filter { $0.value != 0 }.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value > 0 ? "+" : "")\($0.value)" }
  }
}

extension LedgerStatement {
  init(_ answers: [StoreEnvironment: Oracle.Answer], to questions: LedgerQuestions) {
    for (environment, answer) in answers where questions.moments[environment] != nil {
      for finding in answer.findings { add(environment, "\(finding.rule) @\(finding.position)") }
      // For rules that hold at a moment, only the number of findings is compared, as in the
      // conformance data: there is more than one way to say which event opened them.
      for finding in answer.moment { add(environment, finding.rule) }
      for (name, account) in answer.accounts {
        for (product, state) in account.states {
          add(environment, "\(name) \(product) is \(state)")
        }
        for active in account.active { add(environment, "\(name) may use \(active)") }
        for (device, versions) in account.installed {
          for (product, version) in versions {
            add(environment, "\(name) has \(product) \(version) on \(device ?? "-")")
          }
        }
        for (unit, amount) in account.balances { add(environment, "\(name) \(amount) \(unit)") }
      }
    }
  }

  init(
    _ ledger: Ledger, _ questions: LedgerQuestions, clocks: Clocks = .now
  ) throws(LedgerError) {
    self = try ledger.read { (view) throws(LedgerError) in
      try LedgerStatement(view, questions, clocks)
    }
  }

  /// Collects the findings, without what accounts have.
  init(
    findingsOf view: LedgerView, _ questions: LedgerQuestions, _ clocks: Clocks = .now
  ) throws(LedgerError) {
    for environment in StoreEnvironment.allCases where questions.moments[environment] != nil {
      var query = FindingsQuery()
      query.environments = [environment]
      query.clocks = clocks
      for finding in try view.findings(query) {
        add(
          environment,
          finding.rule.isJudgedAtAMoment
            ? finding.rule.id : "\(finding.rule.id) @\(finding.position)")
      }
    }
  }

  private init(
    _ view: LedgerView, _ questions: LedgerQuestions, _ clocks: Clocks
  ) throws(LedgerError) {
    try self.init(findingsOf: view, questions, clocks)
    for (environment, moment) in questions.moments {
      for name in questions.accounts[environment] ?? [] {
        try add(name, environment, view, clocks, moment)
      }
    }
  }

  private mutating func add(
    _ name: Name, _ environment: StoreEnvironment, _ view: LedgerView, _ clocks: Clocks,
    _ moment: Instant
  ) throws(LedgerError) {
    let answer = try view.entitlements(
      of: .account(name), environments: [environment], clocks: clocks, now: moment)
    for entry in answer.entries {
      if let product = entry.product {
        add(environment, "\(name) \(product) is \(entry.state.text)")
      }
    }
    for active in answer.active { add(environment, "\(name) may use \(active)") }
    let installed = try view.installed(
      of: .account(name), environments: [environment], clocks: clocks)
    for content in installed {
      add(
        environment,
        "\(name) has \(content.product) \(content.contentVersion) on \(content.device ?? "-")")
    }
    for balance in answer.balances { add(environment, "\(name) \(balance.amount) \(balance.unit)") }
  }
}
