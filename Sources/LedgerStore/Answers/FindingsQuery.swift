public import LedgerEvents
public import LedgerModel

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
  /// The broken rules of both tables of `findings.md`, by position.
  ///
  /// Rules of the second table are judged at `clocks.at`, or at the newest believed `occurredAt`
  /// of the events that count in their environment.
  ///
  /// - Complexity: O(*n*) in the ledger's units, or in one unit where an account is named.
  /// - Throws: ``LedgerError``.
  public func findings(_ query: FindingsQuery = FindingsQuery()) throws(LedgerError)
    -> [FindingAnswer]
  {
    var found = cuts(query.clocks) ? try pastFindings(query) : try currentFindings(query)
    found.removeAll { !query.admits($0) }
    found.sort {
      ($0.position, $0.environment.rawValue, $0.rule.rawValue, $0.transaction, $0.download)
        < ($1.position, $1.environment.rawValue, $1.rule.rawValue, $1.transaction, $1.download)
    }
    return try found.map(answer)
  }

  private func currentFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    var found: [Finding] = []
    var known: [Unit.ObservedProduct: ProductObservations] = [:]
    let context = reader.overlay.context
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    var moments: [(StoreEnvironment, Int64)] = []
    for environment in environments {
      if let newest = try newestEvent(in: environment) { moments.append((environment, newest)) }
    }
    let ofAccount = try query.account.map { (name) throws(LedgerError) in
      try inquire(.account(name), .now)
    }
    let visit = { (unit: Unit) throws(LedgerError) -> Bool in
      found += unit.findings
      for observed in unit.observedProducts {
        let all: ProductObservations
        if let cached = known[observed] {
          all = cached
        } else {
          all = try observations(of: observed)
          known[observed] = all
        }
        found += unit.findings(of: observed, against: all, texts: reader.texts)
      }
      for (environment, moment) in moments {
        found += unit.findings(
          at: moment, in: environment, thresholds: query.thresholds, context: context,
          texts: reader.texts)
      }
      return true
    }
    if let ofAccount {
      guard let unit = ofAccount.unit, let subject = ofAccount.subject else { return [] }
      _ = try visit(unit)
      return found.filter { unit.concerns($0, subject) }
    }
    try forEachUnit(visit)
    for (environment, moment) in moments {
      found += context.findings(at: moment, in: environment, thresholds: query.thresholds)
    }
    try reader.texts.check()
    return found
  }

  private func pastFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    let book = try book(query.clocks)
    var found = book.findings
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    for environment in environments {
      guard let newest = book.newestEvent(in: environment) else { continue }
      let moment = query.clocks.at?.microseconds ?? newest
      found += book.findings(at: moment, in: environment, thresholds: query.thresholds)
    }
    try reader.texts.check()
    guard let name = query.account else { return found }
    guard let number = try number(of: .account, name), let unit = book.unit(of: number) else {
      return []
    }
    return found.filter { unit.concerns($0, .account(number)) }
  }

  private func answer(_ finding: Finding) throws(LedgerError) -> FindingAnswer {
    FindingAnswer(
      rule: finding.rule, severity: finding.severity, position: finding.position,
      occurredAt: Instant(microseconds: finding.occurredAt), environment: finding.environment,
      account: try text(finding.account), device: try text(finding.device),
      transaction: try text(finding.transaction), product: try text(finding.product),
      download: try text(finding.download), detail: finding.detail)
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
