public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// Which findings to return. A property that is not set does not filter.
public struct FindingsQuery: Sendable {
  /// Findings about this customer; if no known account holds what is named, about its chain.
  public var customer: CustomerReference?
  /// The environments; every environment if empty.
  public var environments: [StoreEnvironment] = []
  public var rules: Set<Rule> = []
  public var severities: Set<Rule.Severity> = []
  /// The store time of the finding's event, as a half-open range.
  public var since: Instant?
  public var until: Instant?
  public var clocks = Clocks.now
  public var thresholds = Thresholds.standard

  public init() {}

  /// The account of the customer; setting it asks about that customer.
  public var account: Name? {
    get {
      guard case .account(let name)? = customer else { return nil }
      return name
    }
    set { customer = newValue.map { .account($0) } }
  }

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
  /// Rules of the second table are judged at `clocks.at`, or at the newest believed `occurredAt` of
  /// the events that count in the finding's environment.
  ///
  /// - Complexity: O(*n*) in the ledger's units; for one customer, O(*n*) in the customer's unit
  ///   and a walk over the headers of all units.
  /// - Throws: ``LedgerError``.
  public func findings(_ query: FindingsQuery = FindingsQuery()) throws(LedgerError)
    -> [FindingAnswer]
  {
    try findings(query, in: try pastLedger(at: query.clocks))
  }

  /// The broken rules, given the ledger at the query's clocks if they ask about the past.
  func findings(
    _ query: FindingsQuery, in past: InMemoryLedger?
  ) throws(LedgerError) -> [FindingAnswer] {
    var found = if let past { try pastFindings(query, past) } else { try currentFindings(query) }
    found.removeAll { !query.admits($0) }
    found.sort()
    let answers = found.map { FindingAnswer($0, texts: texts) }
    try texts.check()
    return answers
  }

  /// The findings of all events, before the query filters them.
  func currentFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    let context = context
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    var collection = LedgerFindings(texts: texts, thresholds: query.thresholds)
    let newest = try newestEvents()
    for environment in environments {
      guard let moment = newest[environment] else { continue }
      collection.moments.append((environment, moment))
    }
    if let customer = query.customer {
      guard let inquiry = try inquire(customer, .now) else { return [] }
      let (unit, subject) = (inquiry.unit, inquiry.subject)
      try add(unit, context, to: &collection)
      collection.addAbsentDevice(context)
      try texts.check()
      return try findings(collection.sorted, of: subject, in: unit, .now)
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

  private func pastFindings(
    _ query: FindingsQuery, _ ledger: InMemoryLedger
  ) throws(LedgerError) -> [Finding] {
    var found = ledger.findings
    let environments = query.environments.isEmpty ? StoreEnvironment.allCases : query.environments
    for environment in environments {
      guard let newest = ledger.newestEvent(in: environment) else { continue }
      let moment = query.clocks.at?.microseconds ?? newest
      found += ledger.findings(at: moment, in: environment, thresholds: query.thresholds)
    }
    try texts.check()
    guard let customer = query.customer else { return found }
    let use = customer.use
    guard let number = try number(of: use.kind, use.name), let unit = ledger.unit(of: number) else {
      return []
    }
    return try findings(found, of: customer.subject(number), in: unit, query.clocks)
  }

  /// The findings about a customer: those about transactions that it holds, whoever owned them
  /// first, and those at its own events. A finding states the first owner of its transaction, who
  /// may have been erased since, or may have transferred it.
  ///
  /// - Complexity: O(*n*) in the unit's accounts and transactions; if a finding states one of the
  ///   customer's accounts and no transaction that it holds, O(*n* log *n*) in the unit's facts,
  ///   once for all accounts that are linked wherever they are known.
  private func findings(
    _ found: [Finding], of subject: Subject, in unit: Unit, _ clocks: Clocks
  ) throws(LedgerError) -> [Finding] {
    var accounts: [StoreEnvironment: [NameNumber]] = [:]
    // If nobody known holds the subject, the transactions of its chain.
    var transactions: [StoreEnvironment: Set<NameNumber>] = [:]
    for environment in StoreEnvironment.allCases {
      let set = EnvironmentSet(environment)
      accounts[environment] = unit.accounts(of: subject, environments: set)
      transactions[environment] = Set(
        unit.standings(of: subject, environments: set).map(\.number))
    }
    var events: [NameNumber: Set<UInt64>] = [:]
    var admitted: [Finding] = []
    for finding in found {
      if transactions[finding.environment]?.contains(finding.transaction) ?? false {
        admitted.append(finding)
        continue
      }
      guard let own = accounts[finding.environment], own.contains(finding.account) else { continue }
      let account = finding.account
      if events[account] == nil {
        let own = try positions(ofCustomer: account, at: clocks)
        for other in unit.accountsLinkedEverywhere(to: account) { events[other] = own }
      }
      if events[account]?.contains(finding.position) ?? false { admitted.append(finding) }
    }
    return admitted
  }
}

extension Unit {
  /// `account`, and the accounts that belong to the same customer in each environment in which it
  /// is known, and are known in no other. All of these have the same events.
  ///
  /// - Complexity: O(*n*) in the unit's accounts.
  fileprivate func accountsLinkedEverywhere(to account: NameNumber) -> [NameNumber] {
    // The environments that know the account, and its links there.
    let environments = StoreEnvironment.allCases.map { environment in
      let only = EnvironmentSet(environment)
      let isKnown = newestEvent(of: .account(account), environments: only) != nil
      return (only, isKnown ? Set(linkedAccounts(of: account, environments: only)) : nil)
    }
    let everywhere = EnvironmentSet(StoreEnvironment.allCases)
    return linkedAccounts(of: account, environments: everywhere).filter { other in
      environments.allSatisfy { (only, linked) in
        linked?.contains(other) ?? (newestEvent(of: .account(other), environments: only) == nil)
      }
    }
  }
}
