public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// What happened in each version of an app or system: customers, purchases and broken rules,
/// compared with the version before.
public struct HealthReport: Sendable {
  /// The kind of version.
  public enum Dimension: String, CaseIterable, Sendable {
    case appVersion
    case systemVersion
  }

  /// How often a rule was broken in a version and in the version before.
  public struct RuleRate: Sendable {
    public var rule: Rule
    public var findings: Int
    /// The number of findings in the version before; `nil` if there is none.
    public var findingsBefore: Int?
    public var change: Change
  }

  /// The numbers of one version.
  public struct Version: Sendable {
    /// `nil` for sessions that state no version, and for events without a known session.
    public var version: Name?
    /// The version it is compared with: the next lower one with a purchase.
    public var before: Name?
    /// Customers with an event in a session of the version.
    public var customers: Int
    /// Transactions that the queue first delivered as purchased in this version.
    public var purchases: Int
    public var purchasesBefore: Int?
    /// Rules that were broken in this version or in the version before, with those that became
    /// worse first.
    public var rules: [RuleRate]
  }

  /// How a rate changed, as far as the numbers show.
  public enum Change: Int, Sendable, CaseIterable {
    case worse = 0
    /// The numbers are too small to tell: the change may be chance.
    case unclear = 1
    case better = 2
    /// There is no version with purchases to compare with.
    case unknown = 3

    /// The text in answers.
    public var text: String { "\(self)" }
  }

  /// The newest version first; events without a version last.
  public var versions: [Version]
}

extension HealthReport.Change {
  /// The normal quantile for a two-sided interval of 99 percent.
  ///
  /// Fifty rules are compared at once. At 95 percent, two or three would appear to change by
  /// chance.
  private static let quantile = 2.576

  /// Judges the change between two rates.
  ///
  /// If a rule were broken equally often per purchase in both versions, each of its findings would
  /// be in the new version with a probability equal to the new version's share of all purchases.
  /// The rate has changed if that share is outside the Wilson score interval of the new version's
  /// share of the findings.
  ///
  /// - Parameters:
  ///   - findings: The number of findings in the new version.
  ///   - purchases: The number of purchases in the new version.
  ///   - findingsBefore: The number of findings in the version before.
  ///   - purchasesBefore: The number of purchases in the version before.
  /// - Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
  ///   Journal of the American Statistical Association 22 (1927).
  /// - Complexity: O(1).
  public init(findings: Int, of purchases: Int, before findingsBefore: Int, of purchasesBefore: Int)
  {
    guard purchases > 0, purchasesBefore > 0 else {
      self = .unknown
      return
    }
    let all = Double(findings + findingsBefore)
    guard all > 0 else {
      self = .unclear
      return
    }
    let expected = Double(purchases) / Double(purchases + purchasesBefore)
    let share = Double(findings) / all
    let square = Self.quantile * Self.quantile
    let middle = (share + square / (2 * all)) / (1 + square / all)
    let spread =
      Self.quantile / (1 + square / all)
      * (share * (1 - share) / all + square / (4 * all * all)).squareRoot()
    self = middle - spread > expected ? .worse : middle + spread < expected ? .better : .unclear
  }
}

extension LedgerView {
  /// The numbers of each version.
  ///
  /// An event belongs to the version that the newest `session.started` of its device and session
  /// states. A purchase counts once, in the version in which the queue first delivered it as
  /// purchased. A finding counts in the version of its event.
  ///
  /// - Parameters:
  ///   - dimension: Whether to group by app or system version.
  ///   - query: Which findings count. Its times and clocks also apply to purchases and customers.
  ///     Without environments, production counts.
  /// - Complexity: O(*n*) in the ledger's events, and as ``findings(_:)``.
  /// - Throws: ``LedgerError``.
  public func health(
    by dimension: HealthReport.Dimension, _ query: FindingsQuery = FindingsQuery()
  ) throws(LedgerError) -> HealthReport {
    var query = query
    if query.environments.isEmpty { query.environments = [.production] }
    let sessions = try sessionVersions(clocks: query.clocks)
    func version(_ event: Event) -> Name? {
      let versions = sessions.versions(of: event)
      let text = dimension == .appVersion ? versions.app : versions.system
      return text.map { Name($0) }
    }
    var tally = HealthTally()
    let past = try pastLedger(at: query.clocks)
    for finding in try findings(query, about: nil, in: past) {
      let event = try event(at: finding.position).event
      tally.groups[version(event), default: .init()].findings[finding.rule, default: 0] += 1
    }
    let environments = try soldTransactions(query)
    let customers = try customersByAccount(past)
    var first: [SoldTransaction<Name>: (foldKey: EventFoldKey, version: Name?)] = [:]
    let end = try lastPosition(query.clocks)
    if end > 0 {
      var cursor = try log.records(in: 1...end)
      while try cursor.next() {
        let record = try cursor.record(isChecked: false)
        if let at = query.clocks.at, record.believedAt > at { continue }
        let isPurchase = record.kind == .transactionPurchased
        guard isPurchase || record.number(.account) != 0 else { continue }
        if let since = query.since, record.believedAt < since, !isPurchase { continue }
        if let until = query.until, record.believedAt >= until { continue }
        let recorded = try log.event(of: record)
        let name = version(recorded.event)
        if record.number(.account) != 0, query.admits(record.believedAt) {
          let account = record.number(.account)
          tally.groups[name, default: .init()].customers.insert(customers[account] ?? account)
        }
        guard isPurchase, !record.source.isFromTheStore,
          let transaction = recorded.event.transaction
        else { continue }
        let foldKey = EventFoldKey(recorded)
        for environment in environments[transaction] ?? [] {
          let sold = SoldTransaction(transaction: transaction, environment: environment)
          if first[sold].map({ foldKey < $0.foldKey }) ?? true { first[sold] = (foldKey, name) }
        }
      }
    }
    for sold in first.values where query.admits(sold.foldKey.time) {
      tally.groups[sold.version, default: .init()].purchases += 1
    }
    return tally.report
  }

  /// The environments in which each transaction was sold, of those in the query.
  private func soldTransactions(
    _ query: FindingsQuery
  ) throws(LedgerError) -> [Name: Set<StoreEnvironment>] {
    var events = EventsQuery()
    events.clocks = query.clocks
    var sold: [Name: Set<StoreEnvironment>] = [:]
    try postings(events, environments: query.environments) { posting in
      if posting.kind == .sale {
        sold[posting.transaction, default: []].insert(posting.environment)
      }
      return true
    }
    return sold
  }

  /// The first of each account's linked accounts.
  private func customersByAccount(
    _ past: InMemoryLedger?
  ) throws(LedgerError) -> [NameNumber: NameNumber] {
    var customers: [NameNumber: NameNumber] = [:]
    try eachUnit(of: past) { unit in
      let unit = unit.indexedByHolder()
      for account in unit.knownAccounts where customers[account] == nil {
        for other in unit.accounts(of: .account(account), environments: .all) {
          customers[other] = account
        }
      }
      return true
    }
    return customers
  }
}

extension FindingsQuery {
  fileprivate func admits(_ time: Instant) -> Bool {
    (since.map { time >= $0 } ?? true) && (until.map { time < $0 } ?? true)
  }
}

/// The counts for each version.
private struct HealthTally {
  struct Group {
    var customers: Set<NameNumber> = []
    var purchases = 0
    var findings: [Rule: Int] = [:]
  }

  var groups: [Name?: Group] = [:]

  var report: HealthReport {
    let names = groups.keys.compactMap { $0 }.sorted {
      let order = VersionOrder.compare($0, $1)
      return order == 0 ? $0 < $1 : order < 0
    }
    var versions: [HealthReport.Version] = []
    var before: (name: Name, group: Group)?
    for name in names {
      let group = groups[name] ?? Group()
      versions.append(version(name, group, before))
      if group.purchases > 0 { before = (name, group) }
    }
    versions.reverse()
    if let group = groups[nil] { versions.append(version(nil, group, nil)) }
    return HealthReport(versions: versions)
  }

  private func version(
    _ name: Name?, _ group: Group, _ before: (name: Name, group: Group)?
  ) -> HealthReport.Version {
    let rules = Set(group.findings.keys).union(before?.group.findings.keys.map { $0 } ?? [])
    let rates = rules.map { rule in
      let count = group.findings[rule] ?? 0
      let last = before.map { $0.group.findings[rule] ?? 0 }
      return HealthReport.RuleRate(
        rule: rule, findings: count, findingsBefore: last,
        change: .init(
          findings: count, of: group.purchases, before: last ?? 0,
          of: before?.group.purchases ?? 0))
    }
    return HealthReport.Version(
      version: name, before: before?.name, customers: group.customers.count,
      purchases: group.purchases, purchasesBefore: before?.group.purchases,
      rules: rates.sorted(by: Self.isWorse))
  }

  /// Sorts rules by change, severity, count, and their own order.
  private static func isWorse(
    _ left: HealthReport.RuleRate, _ right: HealthReport.RuleRate
  ) -> Bool {
    if left.change != right.change { return left.change.rawValue < right.change.rawValue }
    if left.rule.severity != right.rule.severity {
      return left.rule.severity > right.rule.severity
    }
    if left.findings != right.findings { return left.findings > right.findings }
    return left.rule.rawValue < right.rule.rawValue
  }
}
