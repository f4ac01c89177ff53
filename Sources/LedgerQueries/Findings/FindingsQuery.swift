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

  /// The environments that it asks about.
  var asked: [StoreEnvironment] { environments.isEmpty ? StoreEnvironment.allCases : environments }

  /// When the rules of the second table are judged, given the newest event of each environment that
  /// has one.
  func moments(
    newest: [StoreEnvironment: Int64]
  ) -> [(environment: StoreEnvironment, moment: Int64)] {
    asked.compactMap { environment in
      (clocks.at?.microseconds ?? newest[environment]).map { (environment, $0) }
    }
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
  /// - Complexity: O(*n*) in the ledger's units, or in all its events if the clocks ask about the
  ///   past. For one customer, O(*n*) in the customer's unit, and a walk over the headers of all
  ///   units; if the clocks ask about the past, over those of all events, but for a given moment.
  /// - Throws: ``LedgerError``.
  public func findings(_ query: FindingsQuery = FindingsQuery()) throws(LedgerError)
    -> [FindingAnswer]
  {
    try findings(query, about: nil)
  }

  /// The broken rules.
  ///
  /// - Parameters:
  ///   - products: About one customer, those about other products may be left out; `nil` asks for
  ///     all.
  ///   - past: The ledger at the query's clocks, if it is known and they ask about the past.
  package func findings(
    _ query: FindingsQuery, about products: Set<NameNumber>?, in past: InMemoryLedger? = nil
  ) throws(LedgerError) -> [FindingAnswer] {
    let found: [Finding]
    if let customer = query.customer {
      found = try findings(of: customer, query, about: products)
    } else {
      let past = if let past { past } else { try pastLedger(at: query.clocks) }
      found = if let past { pastFindings(query, past) } else { try currentFindings(query) }
    }
    let answers = found.filter(query.admits).sorted().map { FindingAnswer($0, texts: texts) }
    try texts.check()
    return answers
  }

  /// The findings of all events, before the query filters them.
  func currentFindings(_ query: FindingsQuery) throws(LedgerError) -> [Finding] {
    let context = context
    var collection = LedgerFindings(texts: texts, thresholds: query.thresholds)
    collection.moments = query.moments(newest: try newestEvents())
    var walk = try units()
    while let unit = try walk.next() {
      try collection.add(unit, context) { (product) throws(LedgerError) in try observed(product) }
    }
    collection.addAbsentDevice(context)
    try texts.check()
    return collection.sorted
  }

  private func pastFindings(_ query: FindingsQuery, _ ledger: InMemoryLedger) -> [Finding] {
    var found = ledger.findings
    for environment in query.asked {
      guard let newest = ledger.newestEvent(in: environment) else { continue }
      let moment = query.clocks.at?.microseconds ?? newest
      found += ledger.findings(at: moment, in: environment, thresholds: query.thresholds)
    }
    return found
  }
}
