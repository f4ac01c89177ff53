import LedgerEvents
import LedgerModel
import LedgerOracle
import LedgerQueries

/// What a ledger is asked: by environment, whom it is asked about and when.
struct LedgerQuestions {
  var accounts: [StoreEnvironment: [Name]] = [:]
  var moments: [StoreEnvironment: Instant] = [:]

  /// What the oracle has answers to, in production and the environments that an event states.
  init(_ answers: [StoreEnvironment: Oracle.Answer], about events: some Sequence<RecordedEvent>) {
    let stated = Set(events.compactMap(\.event.environment) + [.production])
    for (environment, answer) in answers where stated.contains(environment) {
      accounts[environment] = answer.accounts.keys.sorted()
      moments[environment] = answer.at
    }
  }

  func isAsked(_ account: Name, _ environment: StoreEnvironment) -> Bool {
    guard let names = accounts[environment] else { return false }
    let place = names.partitioningIndex { $0 >= account }
    return place < names.count && names[place] == account
  }

  /// Every account of the events, in every environment, at the last of their times.
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
  /// The first place at which a predicate that holds for a suffix holds.
  fileprivate func partitioningIndex(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// All that a ledger, or the oracle, says: lines that can be held against one another.
struct LedgerStatement {
  private var counts: [String: Int] = [:]

  mutating func add(_ environment: StoreEnvironment, _ line: String) {
    counts["\(environment) \(line)", default: 0] += 1
  }

  /// The lines of which there are more or fewer than expected, with by how many.
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
      // Of the second table the conformance data counts, too: which event opened it can be said
      // in more than one way.
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

  /// What is broken, without what anybody has.
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
