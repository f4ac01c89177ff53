public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// What support asks first about a customer, at one position.
public struct CustomerOverview: Sendable {
  /// A device that one of the customer's events states, or on which something is installed.
  public struct Device: Sendable {
    /// `nil` for the absent device.
    public var name: Name?
    /// The time of the customer's newest event on it; `nil` if only installed content refers to it.
    public var lastSeenAt: Instant?
    /// What the device's newest launch states about itself, whichever customer used it.
    public var appVersion: String?
    public var systemVersion: String?
    public var installed: [InstalledAnswer]
  }

  /// The linked account ids; empty if no known account is the customer.
  public var accounts: [Name]
  public var entitlements: EntitlementsAnswer
  /// The transactions of `entitlements` that nobody verified (``LedgerView/unverified(in:)``).
  public var unverified: Set<Name>
  /// Sorted by name, with the absent device first.
  public var devices: [Device]
  /// Transactions that are still in the queue, in the order of their first events.
  public var openTransactions: [TransactionsAnswer.Entry]
  /// Rules that were broken, and rules that are broken now, by position.
  public var findings: [FindingAnswer]
  /// How many events the customer has.
  public var eventCount: Int
  /// The customer's newest events by store time, with the newest last.
  public var lastEvents: [RecordedEvent]
}

extension LedgerView {
  /// What support asks first about one customer.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - environments: The environments that count, except that events and devices are from all of
  ///     them.
  ///   - clocks: Store time and ledger time.
  ///   - now: The ledger's clock.
  ///   - eventCountMax: The maximum number of events in `lastEvents`.
  /// - Complexity: O(*n* log *n*) in the events of the customer's unit; for findings of the past,
  ///   O(*n*) in all events up to then.
  /// - Throws: ``LedgerError``.
  public func overview(
    of customer: CustomerReference, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now, now: Instant, eventCountMax: Int = 10
  ) throws(LedgerError) -> CustomerOverview {
    try overview(
      of: customer, environments: environments, clocks: clocks, now: now,
      eventCountMax: eventCountMax, knownApps: nil)
  }

  /// What support asks first about one customer, by somebody who may know some apps alone.
  ///
  /// - Parameter knownApps: The apps whose launches a device shows; `nil` for all. A device can be
  ///   shared with customers of others.
  /// - Complexity: As ``overview(of:environments:clocks:now:eventCountMax:)``.
  /// - Throws: ``LedgerError``.
  package func overview(
    of customer: CustomerReference, environments: [StoreEnvironment], clocks: Clocks,
    now: Instant, eventCountMax: Int, knownApps: Set<Name>?
  ) throws(LedgerError) -> CustomerOverview {
    var query = FindingsQuery()
    query.customer = customer
    query.environments = environments
    query.clocks = clocks
    let unit = try unitFacts(of: customer, clocks)
    let facts = try facts(of: customer, EnvironmentSet(environments), among: unit, clocks).sorted {
      ($0.occurredAt, $0.position) < ($1.occurredAt, $1.position)
    }
    var launches = unit.filter { $0.kind == .sessionStarted }
    if let knownApps { launches = try KnownApps(knownApps, self).cut(launches) }
    var events: [RecordedEvent] = []
    for fact in facts.suffix(eventCountMax) { events.append(try event(at: fact.position)) }
    let installed = try installed(of: customer, environments: environments, clocks: clocks)
    let answer = try entitlements(
      of: customer, environments: environments, clocks: clocks, now: now)
    return CustomerOverview(
      accounts: try accounts(of: customer, environments: environments, clocks: clocks),
      entitlements: answer, unverified: try unverified(in: answer),
      devices: try devices(facts, launches, installed),
      openTransactions: try transactions(of: customer, environments: environments, clocks: clocks)
        .entries.filter(\.isOnQueue),
      findings: try findings(query), eventCount: facts.count, lastEvents: events)
  }

  /// The facts of the customer's unit.
  func unitFacts(
    of customer: CustomerReference, _ clocks: Clocks
  ) throws(LedgerError) -> [Fact] {
    guard let number = try number(of: customer.use.kind, customer.use.name),
      let unit = try unitNumber(of: number)
    else { return [] }
    return try facts(of: unit, at: clocks)
  }

  /// The customer's facts; for a chain without a known holder, the facts that name one of its
  /// transactions.
  private func facts(
    of customer: CustomerReference, _ environments: EnvironmentSet, among facts: [Fact],
    _ clocks: Clocks
  ) throws(LedgerError) -> [Fact] {
    guard let inquiry = try inquire(customer, clocks) else { return [] }
    let (unit, subject) = (inquiry.unit, inquiry.subject)
    let accounts = unit.accounts(of: subject, environments: environments)
    if let account = accounts.first {
      let own = try positions(ofCustomer: account, at: clocks)
      return facts.filter { own.contains($0.position) }
    }
    let chain = unit.standings(of: subject, environments: .all)
    let transactions = Set(chain.map(\.number))
    let originals = Set(chain.map(\.original))
    return facts.filter { fact in
      fact.transaction != 0 && transactions.contains(fact.transaction)
        || fact.original != 0 && originals.contains(fact.original)
    }
  }

  private func devices(
    _ facts: [Fact], _ launches: [Fact], _ installed: [InstalledAnswer]
  ) throws(LedgerError) -> [CustomerOverview.Device] {
    var found: [Name?: CustomerOverview.Device] = [:]
    var numbers: [NameNumber: Int64] = [:]
    for fact in facts where fact.device != 0 {
      numbers[fact.device] = max(numbers[fact.device] ?? .min, fact.occurredAt)
    }
    for (number, lastSeenAt) in numbers {
      let name = try text(of: number)
      var device = CustomerOverview.Device(
        name: name, lastSeenAt: Instant(microseconds: lastSeenAt), installed: [])
      let launch = launches.filter { $0.device == number }
        .max { ($0.occurredAt, $0.position) < ($1.occurredAt, $1.position) }
      if let launch {
        let data = try event(at: launch.position).event.data
        device.appVersion = data.string("appVersion")
        device.systemVersion = data.string("systemVersion")
      }
      found[name] = device
    }
    for content in installed {
      found[content.device, default: .init(name: content.device, installed: [])]
        .installed.append(content)
    }
    return found.values.sorted { ($0.name ?? "") < ($1.name ?? "") }
  }
}
