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

  /// Whether the customer may use the product in this state.
  public var entitles: Bool { self == .active || self == .gracePeriod }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One entry of a customer's answer: a product with its best grantor, or an entitlement that an
/// operator granted.
public struct EntitlementEntry: Hashable, Sendable {
  /// Who granted it.
  public enum Source: UInt8, Sendable {
    case store = 0
    case `operator` = 1
  }

  /// The product; 0 if an operator granted an entitlement.
  public var product: NameNumber
  /// The entitlement that an operator granted; `nil` if the entry is for a product.
  public var entitlement: Name?
  /// The names of the product's entitlements, by the catalogue at the moment of the question.
  public var entitlements: [Name]
  public var state: EntitlementState
  /// When the state began, in microseconds.
  public var since: Int64
  /// When the entry ends, in microseconds; `nil` if it has no end.
  public var expiresAt: Int64?
  /// The chain of the best grantor; 0 for an operator's grant.
  public var original: NameNumber
  /// The chain's transactions that the customer holds, in the order of their first events.
  public var transactions: [NameNumber]
  /// Whether the purchase is family-shared; `nil` for an operator's grant.
  public var isFamilyShared: Bool?
  public var source: Source
  public var environment: StoreEnvironment
}

/// An amount of a unit, such as coins. An answer never contains an amount of 0.
public struct Balance: Hashable, Sendable {
  public var unit: Name
  public var amount: Int64
}

/// What a customer has at a moment.
public struct Answer: Hashable, Sendable {
  /// Products sorted by id, followed by operators' entitlements sorted by name.
  public var entries: [EntitlementEntry]
  /// Everything that is active or in a grace period: product ids, entitlement names and operators'
  /// grants. Sorted by bytes, without duplicates.
  public var active: [Name]
  /// Sorted by unit.
  public var balances: [Balance]
  /// The next moment, in microseconds, at which this answer changes without a new event.
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
  /// The customer who holds the transaction; if nobody does, only the transaction's chain.
  case transaction(NameNumber)
  /// The customer who holds the first transaction of the chain; if nobody does, only the chain.
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
  /// The position of the install event, which states the path.
  public var position: UInt64
}
