public import LedgerEvents
public import LedgerModel

/// Why a customer has, or has not, a product or an entitlement.
public struct Explanation: Sendable {
  /// What the name comes to for the customer: an entry of the answer, in names.
  public struct Holding: Hashable, Sendable {
    /// `nil` where an operator granted an entitlement.
    public var product: Name?
    public var entitlement: Name?
    public var state: EntitlementState
    public var since: Instant
    /// `nil` where it has no end.
    public var expiresAt: Instant?
    public var original: Name?
    public var isFromOperator: Bool
    public var environment: StoreEnvironment
  }

  /// One event of those that decide.
  public struct Step: Sendable {
    public var event: RecordedEvent
    /// What the event says, in plain words.
    public var text: String
    /// What the events of the explanation before it come to, and with it; judged at the moment
    /// asked for.
    public var before: [Holding]
    public var after: [Holding]
    /// What everything but this event comes to.
    public var without: [Holding]
  }

  /// What the ledger has learned since about the same store time: facts that came late, or that
  /// corrected others.
  public struct Learned: Sendable {
    /// The position up to which it is known now.
    public var position: UInt64
    /// Whether the customer may have it, by all that is known now.
    public var isHeld: Bool
    public var holdings: [Holding]
    /// Those of the events that decide it now which the ledger did not hold then.
    public var steps: [Step]
  }

  /// What the answer rests on.
  public enum Ground: Hashable, Sendable {
    /// It is listed, and the steps alone come to the same.
    case listed
    /// It would be listed but for the steps that took it away.
    case takenAway
    /// An operator's grant of it is over.
    case over(Instant)
    /// It is listed in another environment only.
    case elsewhere(StoreEnvironment)
    /// It is a consumable: it credits, and is never an entitlement.
    case consumable
    /// It is a balance that purchases credit: so much is left.
    case balance(Int64)
    /// It was tried, and nothing was bought; the steps are of the last attempt.
    case attempted
    /// The customer has neither bought it nor been given it, nor tried to.
    case nothing
    /// No event states the account.
    case unknownAccount
  }

  public var account: Name
  /// The product or entitlement asked about.
  public var name: Name
  /// The store time that it is judged at.
  public var at: Instant
  /// The position that it is true at.
  public var position: UInt64
  public var environments: [StoreEnvironment]
  /// Whether the customer may have it.
  public var isHeld: Bool
  /// What it comes to: empty where it is not listed.
  public var holdings: [Holding]
  public var ground: Ground
  /// In the fold's order; none of them can be left out.
  public var steps: [Step]
  /// `nil` where all that is known now gives the same answer about the same store time, and where
  /// nothing newer was asked for.
  public var learned: Learned?
}
