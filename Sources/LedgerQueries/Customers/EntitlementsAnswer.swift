public import LedgerEvents
public import LedgerModel
internal import LedgerStore

/// What a customer has: the answer to `entitlements`.
public struct EntitlementsAnswer: Sendable {
  /// One product, or one entitlement that an operator granted.
  public struct Entry: Hashable, Sendable {
    public var product: Name?
    public var entitlement: Name?
    /// The names of the product's entitlements in the catalogue in force.
    public var entitlements: [Name]
    public var state: EntitlementState
    public var since: Instant
    /// `nil` if it has no end.
    public var expiresAt: Instant?
    public var originalTransaction: Name?
    public var transactions: [Name]
    /// `nil` for an operator's grant.
    public var isFamilyShared: Bool?
    public var source: EntitlementEntry.Source
    public var environment: StoreEnvironment
  }

  /// An amount of a unit; never 0.
  public struct Balance: Sendable {
    public var unit: Name
    public var amount: Int64
  }

  /// The account asked about; `nil` if the question named a transaction or an original transaction.
  public var account: Name?
  /// Whether any event of the ledger states that account, transaction or original transaction.
  public var isKnown: Bool
  /// The store time of the answer.
  public var at: Instant
  /// The position of the answer.
  public var position: UInt64
  public var environments: [StoreEnvironment]
  public var entries: [Entry]
  public var active: [Name]
  public var balances: [Balance]
  /// The next time at which it changes without a new event.
  public var nextChangeAt: Instant?
}

/// The customer a question is about, by name.
public enum CustomerReference: Hashable, Sendable {
  case account(Name)
  /// The holder of the transaction.
  case transaction(Name)
  /// The holder of the chain's first transaction.
  case original(Name)

  var use: NameUse {
    switch self {
    case .account(let name): NameUse(kind: .account, name: name)
    case .transaction(let name), .original(let name): NameUse(kind: .transaction, name: name)
    }
  }

  func subject(_ number: NameNumber) -> Subject {
    switch self {
    case .account: .account(number)
    case .transaction: .transaction(number)
    case .original: .original(number)
    }
  }
}

extension EntitlementsAnswer.Entry {
  /// Creates an entry from a stored answer, which names no transactions.
  package init(_ stored: StoredEntry) {
    let (item, standing) = (stored.item, stored.standing)
    self.init(
      product: item.isEntitlement ? nil : item.name,
      entitlement: item.isEntitlement ? item.name : nil, entitlements: stored.entitlements,
      state: standing.state, since: Instant(microseconds: standing.since),
      expiresAt: standing.end == .max ? nil : Instant(microseconds: standing.end),
      originalTransaction: nil, transactions: [], isFamilyShared: nil, source: standing.source,
      environment: standing.environment)
  }
}
