package import LedgerEvents
internal import LedgerModel
package import LedgerStore

/// Whether somebody has events of some apps, and whether of others.
package struct AppHolding: Sendable {
  /// There is an event of the apps.
  package private(set) var isTheirs = false
  /// There is an event of another app, or of no app.
  package private(set) var isOthers = false

  /// Whether the apps have the customer alone.
  package var isTheirsAlone: Bool { isTheirs && !isOthers }

  fileprivate mutating func add(_ record: borrowing RecordView, _ apps: KnownApps) {
    if apps.contains(record) {
      isTheirs = true
    } else if record.number(.app) != 0 || !record.kind.isOperators {
      isOthers = true
    }
  }
}

extension LedgerView {
  /// Who has the events of a customer: some apps, or others.
  ///
  /// An event that states no app can be of any: who may append for one app could else make such a
  /// customer theirs with one event. Only the acts of operators have no app.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit, up to the first one of another app.
  /// - Throws: ``LedgerError``.
  package func holding(
    of customer: CustomerReference, among apps: Set<Name>
  ) throws(LedgerError) -> AppHolding {
    try holding(of: try queries(of: customer), among: apps)
  }

  /// Who has the events that any of the queries selects.
  ///
  /// - Complexity: As ``holding(of:among:)-(CustomerReference,_)``.
  /// - Throws: ``LedgerError``.
  package func holding(
    of queries: [EventsQuery], among apps: Set<Name>
  ) throws(LedgerError) -> AppHolding {
    let known = try KnownApps(apps, self)
    var holding = AppHolding()
    for query in queries where !holding.isOthers {
      try matches(of: query) { (position) throws(LedgerError) in
        holding.add(try log.record(at: position), known)
        return !holding.isOthers
      }
    }
    return holding
  }

  /// Who has the event at a position.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  package func holding(
    ofEventAt position: UInt64, among apps: Set<Name>
  ) throws(LedgerError) -> AppHolding {
    var holding = AppHolding()
    holding.add(try log.record(at: position), try KnownApps(apps, self))
    return holding
  }

  /// What finds all events of the customer. A transaction can have another owner in each
  /// environment, and a question can ask about any of them.
  private func queries(of customer: CustomerReference) throws(LedgerError) -> [EventsQuery] {
    var accounts: Set<Name> = []
    var queries: [EventsQuery] = []
    func add(_ change: (inout EventsQuery) -> Void) {
      var query = EventsQuery()
      change(&query)
      queries.append(query)
    }
    switch customer {
    case .account(let name): accounts = [name]
    case .transaction(let name), .original(let name):
      for environment in StoreEnvironment.allCases {
        accounts.formUnion(try self.accounts(of: customer, environments: [environment]))
      }
      add { $0.original = name }
      add { $0.transaction = name }
    }
    for account in accounts { add { $0.account = account } }
    return queries
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
