package import LedgerEvents
package import LedgerModel
package import LedgerStore

/// Whether somebody has events of some apps, and whether of others.
package struct AppHolding: Hashable, Sendable {
  /// There is an event of the apps.
  package private(set) var isTheirs: Bool
  /// There is an event of another app, or of no app.
  package private(set) var isOthers: Bool

  package init(isTheirs: Bool = false, isOthers: Bool = false) {
    (self.isTheirs, self.isOthers) = (isTheirs, isOthers)
  }

  /// Whether the apps have the customer alone.
  package var isTheirsAlone: Bool { isTheirs && !isOthers }

  fileprivate mutating func add(_ other: AppHolding) {
    isTheirs = isTheirs || other.isTheirs
    isOthers = isOthers || other.isOthers
  }

  /// Adds an event. One that states no app can be of any: who may append for one app could else
  /// make such a customer theirs with one event. Only the acts of operators have no app.
  fileprivate mutating func add(app: NameNumber, _ kind: EventKind, _ apps: KnownApps) {
    if apps.contains(app) {
      isTheirs = true
    } else if app != 0 || !kind.isOperators {
      isOthers = true
    }
  }
}

/// Who has the events of a unit, and which of its names are in the events of others.
package struct UnitHolding: Sendable {
  /// All events of the unit together.
  package private(set) var all = AppHolding()
  /// The accounts that events of the apps state.
  fileprivate var accounts: Set<NameNumber> = []
  /// The names of people and purchases in events of others.
  private var foreign: Set<NameNumber> = []

  fileprivate init(_ facts: [Fact], _ apps: KnownApps) {
    for fact in facts { add(fact, apps) }
  }

  /// Whether an event of others has the name.
  package func isForeign(_ name: NameNumber) -> Bool { foreign.contains(name) }

  private mutating func add(_ fact: Fact, _ apps: KnownApps) {
    var one = AppHolding()
    one.add(app: fact.app, fact.kind, apps)
    all.add(one)
    if one.isTheirs { accounts.insert(fact.account) }
    guard one.isOthers else { return }
    foreign.formUnion([
      fact.account, fact.transaction, fact.original, fact.device, fact.payment, fact.session,
      fact.download, fact.detail?.fields.to ?? 0,
    ])
  }
}

extension LedgerView {
  /// Who has the events of a customer at the clocks: some apps, or others.
  ///
  /// - Complexity: O(*n*) in the facts of the customer's unit if all of them are of the apps,
  ///   otherwise O(*n* log *n*), because they are folded to find whose they are, and O(*n*) for
  ///   each transfer by which an account got something.
  /// - Throws: ``LedgerError``.
  package func holding(
    of customer: CustomerReference, among apps: KnownApps, at clocks: Clocks = .now
  ) throws(LedgerError) -> AppHolding {
    guard let number = try number(of: customer.use.kind, customer.use.name),
      let unit = try unitNumber(of: number)
    else { return AppHolding() }
    let facts = try facts(of: unit, at: clocks)
    let whole = UnitHolding(facts, apps)
    if !whole.all.isOthers, whole.accounts.contains(number) { return whole.all }
    let accounts = try accounts(ofAll: customer, clocks)
    var holding = try holding(of: queries(of: customer, accounts, clocks), among: apps)
    let transfers = Transfers(facts)
    for account in accounts where !holding.isOthers {
      guard let number = try self.number(of: .account, account) else { continue }
      holding.add(transfers.holding(ofGiversTo: number, facts, apps))
    }
    return holding
  }

  /// The store time of the newest event of a customer's unit, if others than the apps have events
  /// in it; `nil` if the unit is theirs, or there is none.
  ///
  /// An act that is not newer changes what follows it in the unit, and nothing beyond the unit. How
  /// far it reaches there is known only when all is folded, so any event of others counts.
  ///
  /// - Complexity: O(*n*) in the facts of the unit.
  /// - Throws: ``LedgerError``.
  package func newestEvent(
    sharedBy customer: CustomerReference, among apps: KnownApps
  ) throws(LedgerError) -> Instant? {
    let facts = try unitFacts(of: customer, .now)
    guard UnitHolding(facts, apps).all.isOthers else { return nil }
    return facts.map(\.occurredAt).max().map(Instant.init(microseconds:))
  }

  /// Who has the events that any of the queries selects.
  ///
  /// - Complexity: As ``events(_:_:)``, without decoding events.
  /// - Throws: ``LedgerError``.
  package func holding(
    of queries: [EventsQuery], among apps: KnownApps
  ) throws(LedgerError) -> AppHolding {
    var holding = AppHolding()
    for query in queries where !holding.isOthers {
      try matches(of: query) { (position) throws(LedgerError) in
        let record = try log.record(at: position)
        holding.add(app: record.number(.app), record.kind, apps)
        return !holding.isOthers
      }
    }
    return holding
  }

  /// Who has the event at a position.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  package func holding(
    ofEventAt position: UInt64, among apps: KnownApps
  ) throws(LedgerError) -> AppHolding {
    var holding = AppHolding()
    let record = try log.record(at: position)
    holding.add(app: record.number(.app), record.kind, apps)
    return holding
  }

  /// Who has the events of a unit at the clocks.
  ///
  /// - Complexity: O(*n*) in the facts of the unit.
  /// - Throws: ``LedgerError``.
  package func holding(
    ofUnit unit: UnitNumber, among apps: KnownApps, at clocks: Clocks
  ) throws(LedgerError) -> UnitHolding {
    UnitHolding(try facts(of: unit, at: clocks), apps)
  }

  /// The accounts of the customer. A transaction can have another owner in each environment, and a
  /// question can ask about any of them.
  private func accounts(
    ofAll customer: CustomerReference, _ clocks: Clocks
  ) throws(LedgerError) -> Set<Name> {
    if case .account(let name) = customer { return [name] }
    var accounts: Set<Name> = []
    for environment in StoreEnvironment.allCases {
      accounts.formUnion(
        try self.accounts(of: customer, environments: [environment], clocks: clocks))
    }
    return accounts
  }

  /// What finds all events of the customer with the accounts.
  private func queries(
    of customer: CustomerReference, _ accounts: Set<Name>, _ clocks: Clocks
  ) -> [EventsQuery] {
    var queries: [EventsQuery] = []
    func add(_ change: (inout EventsQuery) -> Void) {
      var query = EventsQuery()
      query.clocks = clocks
      change(&query)
      queries.append(query)
    }
    switch customer {
    case .account: break
    case .transaction(let name), .original(let name):
      add { $0.original = name }
      add { $0.transaction = name }
    }
    for account in accounts { add { $0.account = account } }
    return queries
  }
}

/// The transfers between the accounts of a unit.
private struct Transfers {
  private struct Giver: Hashable {
    var account: NameNumber
    /// The store time of the transfer.
    var moment: Int64
  }

  private var transfers: [Fact] = []
  /// The accounts that were linked with an account.
  private var linked: [NameNumber: Set<NameNumber>] = [:]

  init(_ facts: [Fact]) {
    for fact in facts {
      guard let to = fact.detail?.fields.to, to != 0 else { continue }
      switch fact.kind {
      case .accountTransferred: transfers.append(fact)
      case .accountLinked:
        linked[fact.account, default: []].insert(to)
        linked[to, default: []].insert(fact.account)
      default: break
      }
    }
  }

  /// Who has the events of those from whom an account has got everything by transfers, directly or
  /// through others, that it has not handed on since. What is moved so need not name the account:
  /// installed content, grants, and what was consumed. Bought transactions are its own by now.
  ///
  /// - Parameter facts: Those of the unit.
  func holding(
    ofGiversTo account: NameNumber, _ facts: [Fact], _ apps: KnownApps
  ) -> AppHolding {
    var holding = AppHolding()
    for giver in givers(of: account) {
      let names = names(of: giver.account)
      for fact in facts where fact.occurredAt <= giver.moment && names.contains(fact.account) {
        holding.add(app: fact.app, fact.kind, apps)
      }
    }
    return holding
  }

  /// Who has given to an account, directly or through others, since it last gave everything away.
  /// In doubt, somebody has: an account that is linked with others, or that gave away what it had
  /// in one environment, may have kept something.
  private func givers(of account: NameNumber) -> Set<Giver> {
    var found: Set<Giver> = []
    var open = [Giver(account: account, moment: .max)]
    while let next = open.popLast() {
      let own = names(of: next.account)
      var emptied = Int64.min
      // Not by the transfer that is followed.
      for transfer in transfers
      where own == [transfer.account] && transfer.environment == nil
        && transfer.occurredAt < next.moment
      {
        emptied = max(emptied, transfer.occurredAt)
      }
      for transfer in transfers
      where own.contains(transfer.detail?.fields.to ?? 0)
        && (emptied...next.moment).contains(transfer.occurredAt)
      {
        let giver = Giver(account: transfer.account, moment: transfer.occurredAt)
        if found.insert(giver).inserted { open.append(giver) }
      }
    }
    return found
  }

  /// The account and all that are linked with it.
  private func names(of account: NameNumber) -> Set<NameNumber> {
    var names: Set<NameNumber> = [account]
    var open = [account]
    while let next = open.popLast() {
      for other in linked[next] ?? [] where names.insert(other).inserted { open.append(other) }
    }
    return names
  }
}

extension EventKind {
  /// Whether an event of the type decides something by somebody's word alone.
  package var isOperators: Bool {
    switch self {
    case .entitlementGranted, .entitlementWithdrawn, .accountLinked, .accountTransferred,
      .accountErased, .transactionAssigned, .noteAdded, .operatorActed, .catalogSet,
      .contentVersionPublished:
      true
    default: false
    }
  }
}
