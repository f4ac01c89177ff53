public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// Which findings are asked for; what is not named does not narrow them.
public struct FindingsQuery: Sendable {
  /// Findings about the customer that this account is.
  public var account: Name?
  /// Every environment where empty.
  public var environments: [StoreEnvironment] = []
  public var rules: Set<Rule> = []
  public var severities: Set<Rule.Severity> = []
  /// Store time of the finding's event, half open.
  public var since: Instant?
  public var until: Instant?
  public var clocks = Clocks.now
  public var thresholds = Thresholds.standard

  public init() {}

  func admits(_ finding: Finding) -> Bool {
    (environments.isEmpty || environments.contains(finding.environment))
      && (rules.isEmpty || rules.contains(finding.rule))
      && (severities.isEmpty || severities.contains(finding.severity))
      && (since.map { finding.occurredAt >= $0.microseconds } ?? true)
      && (until.map { finding.occurredAt < $0.microseconds } ?? true)
  }
}

/// A broken rule, with names.
public struct FindingAnswer: Sendable {
  public var rule: Rule
  public var severity: Rule.Severity
  public var position: UInt64
  public var occurredAt: Instant
  public var environment: StoreEnvironment
  public var account: Name?
  public var device: Name?
  public var transaction: Name?
  public var product: Name?
  public var download: Name?
  public var detail: Name?
}

extension LedgerView {
  /// The broken rules of both tables of `rules.md`, by position.
  ///
  /// Rules of the second table are judged at `clocks.at`, or at the newest believed `occurredAt`
  /// of the events that count in their environment.
  ///
  /// - Complexity: O(*n*) in the ledger's units, or in one unit where an account is named.
  /// - Throws: ``LedgerError``.
  public func findings(_ query: FindingsQuery = FindingsQuery()) throws(LedgerError)
    -> [FindingAnswer]
  {
    var found = !query.clocks.reachAll ? try pastFindings(query) : try currentFindings(query)
    found.removeAll { !query.admits($0) }
    found.sort()
    let answers = found.map { FindingAnswer($0, texts: texts) }
    try texts.check()
    return answers
  }

  /// The findings of everything that the ledger knows, before the query filters them.
  func currentFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    let context = context
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    var collection = LedgerFindings(texts: texts, thresholds: query.thresholds)
    for environment in environments {
      guard let newest = try newestEvent(in: environment) else { continue }
      collection.moments.append((environment, newest))
    }
    if let account = query.account {
      guard let inquiry = try inquire(.account(account), .now) else { return [] }
      let (unit, subject) = (inquiry.unit, inquiry.subject)
      try add(unit, context, to: &collection)
      collection.addAbsentDevice(context)
      try texts.check()
      return collection.sorted.filter { unit.concerns($0, subject) }
    }
    var walk = try units()
    while let unit = try walk.next() { try add(unit, context, to: &collection) }
    collection.addAbsentDevice(context)
    try texts.check()
    return collection.sorted
  }

  private func add(
    _ unit: Unit, _ context: SharedContext, to collection: inout LedgerFindings
  ) throws(LedgerError) {
    try collection.addBroken(by: unit) { (product) throws(LedgerError) in try observed(product) }
    try collection.addOpen(in: unit, context) { (product) throws(LedgerError) in
      try observed(product)
    }
  }

  private func pastFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    let ledger = try inMemoryLedger(at: query.clocks)
    var found = ledger.findings
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    for environment in environments {
      guard let newest = ledger.newestEvent(in: environment) else { continue }
      let moment = query.clocks.at?.microseconds ?? newest
      found += ledger.findings(at: moment, in: environment, thresholds: query.thresholds)
    }
    try texts.check()
    guard let name = query.account else { return found }
    guard let number = try number(of: .account, name), let unit = ledger.unit(of: number) else {
      return []
    }
    return found.filter { unit.concerns($0, .account(number)) }
  }
}

extension Unit {
  /// Whether a finding is about the customer.
  func concerns(_ finding: Finding, _ subject: Subject) -> Bool {
    guard case .account(let account) = subject else { return true }
    return linkedAccounts(of: account, environments: EnvironmentSet(finding.environment))
      .contains(finding.account)
  }
}
