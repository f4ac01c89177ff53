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
    var found = cuts(query.clocks) ? try pastFindings(query) : try currentFindings(query)
    found.removeAll { !query.admits($0) }
    found.sort {
      ($0.position, $0.environment.rawValue, $0.rule.rawValue, $0.transaction, $0.download)
        < ($1.position, $1.environment.rawValue, $1.rule.rawValue, $1.transaction, $1.download)
    }
    var answers: [FindingAnswer] = []
    for finding in found { answers.append(try answer(finding)) }
    return answers
  }

  private func currentFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    let context = reader.overlay.context
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    var collection = FindingsCollection(thresholds: query.thresholds)
    for environment in environments {
      guard let newest = try newestEvent(in: environment) else { continue }
      collection.moments.append((environment, newest))
    }
    if let account = query.account {
      let inquiry = try inquire(.account(account), .now)
      guard let unit = inquiry.unit, let subject = inquiry.subject else { return [] }
      try collection.add(unit, context, self)
      collection.addAbsentDevice(context)
      try reader.texts.check()
      return collection.findings.filter { unit.concerns($0, subject) }
    }
    var walk = try units()
    while let unit = try walk.next() { try collection.add(unit, context, self) }
    collection.addAbsentDevice(context)
    try reader.texts.check()
    return collection.findings
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

/// Findings of the ledger as it is, gathered unit by unit.
private struct FindingsCollection {
  let thresholds: Thresholds
  /// When the second table is judged, by environment.
  var moments: [(environment: StoreEnvironment, moment: Int64)] = []
  var findings: [Finding] = []
  private var observations: [Unit.ObservedProduct: ProductObservations] = [:]

  init(thresholds: Thresholds) { self.thresholds = thresholds }

  mutating func add(
    _ unit: Unit, _ context: SharedContext, _ view: LedgerView
  ) throws(LedgerError) {
    let texts = view.reader.texts
    findings += unit.findings
    for observed in unit.observedProducts {
      findings += unit.findings(of: observed, against: try known(observed, view), texts: texts)
    }
    // What nobody has installed delivers what nobody holds, whichever unit it stands in.
    var installedByNobody: Set<Unit.ObservedProduct> = []
    for observed in unit.unheldProducts {
      if try known(observed, view).isInstalledByNobody { installedByNobody.insert(observed) }
    }
    for (environment, moment) in moments {
      findings += unit.findings(
        at: moment, in: environment, thresholds: thresholds, context: context, texts: texts
      ) { product in
        installedByNobody.contains(
          Unit.ObservedProduct(environment: environment, product: product))
      }
    }
  }

  /// What stands in no unit: sessions and restores that name no device.
  mutating func addAbsentDevice(_ context: SharedContext) {
    for (environment, moment) in moments {
      findings += context.findings(at: moment, in: environment, thresholds: thresholds)
    }
  }

  /// What all units observed of a product, looked up once a question.
  private mutating func known(
    _ observed: Unit.ObservedProduct, _ view: LedgerView
  ) throws(LedgerError) -> ProductObservations {
    if let known = observations[observed] { return known }
    let all = try view.observed(observed)
    observations[observed] = all
    return all
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
