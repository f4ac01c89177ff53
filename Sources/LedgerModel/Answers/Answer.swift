public import LedgerEvents

/// The state of a product, or of an operator's entitlement, for a customer. The best state comes
/// first (`model.md` 12).
public enum EntitlementState: UInt8, CaseIterable, Comparable, Sendable {
  case active = 0
  case gracePeriod = 1
  case billingRetry = 2
  case pending = 3
  case expired = 4
  case refunded = 5
  case revoked = 6

  public var text: String {
    switch self {
    case .active: "active"
    case .gracePeriod: "gracePeriod"
    case .billingRetry: "billingRetry"
    case .pending: "pending"
    case .expired: "expired"
    case .refunded: "refunded"
    case .revoked: "revoked"
    }
  }

  /// Whether the customer may have it.
  public var entitles: Bool { self == .active || self == .gracePeriod }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One entry of a customer's answer: a product with the best of its grantors, or an operator's
/// entitlement.
public struct EntitlementEntry: Hashable, Sendable {
  /// Who granted it.
  public enum Source: UInt8, Sendable {
    case store = 0
    case `operator` = 1
  }

  /// 0 where an operator granted an entitlement.
  public var product: NameNumber
  /// What an operator granted, where it is no product.
  public var entitlement: Name?
  /// The product's entitlement names by the catalogue at the moment asked for.
  public var entitlements: [Name]
  public var state: EntitlementState
  /// From when the state holds, in microseconds.
  public var since: Int64
  /// `nil` where it has no end, in microseconds.
  public var expiresAt: Int64?
  /// The chain that is the best grantor; 0 for an operator's grant.
  public var original: NameNumber
  /// The chain's transactions that the customer holds, in the order of their first events.
  public var transactions: [NameNumber]
  /// `nil` for an operator's grant.
  public var isFamilyShared: Bool?
  public var source: Source
  public var environment: StoreEnvironment
}

/// An amount of a unit; never 0 in an answer.
public struct Balance: Hashable, Sendable {
  public var unit: Name
  public var amount: Int64
}

/// What a customer has at a moment.
public struct Answer: Hashable, Sendable {
  /// By product text, then operators' entitlements by name.
  public var entries: [EntitlementEntry]
  /// What is active or in a grace period: product ids, entitlement names, operators' grants; sorted
  /// by bytes, each once.
  public var active: [Name]
  /// By unit.
  public var balances: [Balance]
  /// The next moment at which this answer changes by time alone, in microseconds.
  public var nextChangeAt: Int64?

  public init(
    entries: [EntitlementEntry] = [], active: [Name] = [], balances: [Balance] = [],
    nextChangeAt: Int64? = nil
  ) {
    self.entries = entries
    self.active = active
    self.balances = balances
    self.nextChangeAt = nextChangeAt
  }
}

/// Whom a question is about.
public enum Subject: Hashable, Sendable {
  case account(NameNumber)
  /// The customer who holds the transaction; where nobody does, its chain alone.
  case transaction(NameNumber)
  /// The customer who holds the first transaction of the chain; where nobody does, the chain alone.
  case original(NameNumber)
}

/// A version of a product on a device of a customer.
public struct InstalledContent: Hashable, Sendable {
  public var environment: StoreEnvironment
  /// 0 for the absent device.
  public var device: NameNumber
  public var product: NameNumber
  public var version: Name
  public var installedAt: Int64
  /// Of the install, whose event states the path.
  public var position: UInt64
}
