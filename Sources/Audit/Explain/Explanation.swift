public import LedgerEvents
public import LedgerModel

/// The reason why a customer has, or does not have, a product or an entitlement.
public struct Explanation: Sendable {
  /// A customer's holding: an entry of the answer, with names in place of numbers.
  public struct Holding: Hashable, Sendable {
    /// The product; `nil` if an operator granted an entitlement.
    public var product: Name?
    public var entitlement: Name?
    public var state: EntitlementState
    public var since: Instant
    /// The end of access; `nil` if there is none.
    public var expiresAt: Instant?
    public var original: Name?
    public var isFromOperator: Bool
    public var environment: StoreEnvironment
  }

  /// One of the events that decide the answer.
  public struct Step: Sendable {
    public var event: RecordedEvent
    /// A description of the event in plain words.
    public var text: String
    /// The holdings that follow from the events of the explanation before this one, and from those
    /// up to and including it. Both are judged at the store time of the question.
    public var before: [Holding]
    public var after: [Holding]
    /// The holdings that follow from everything except this event.
    public var without: [Holding]
  }

  /// What the ledger has learned since then about the same store time, from facts that arrived late
  /// or corrected others.
  public struct Learned: Sendable {
    /// The position of the newer answer.
    public var position: UInt64
    /// Whether the customer has access according to the newer answer.
    public var isHeld: Bool
    public var holdings: [Holding]
    /// The deciding events of the newer answer that the ledger did not have then.
    public var steps: [Step]
  }

  /// The basis of the answer.
  public enum Ground: Hashable, Sendable {
    /// The name is listed, and the steps alone lead to the same answer.
    case listed
    /// It would be listed without the steps, which took it away.
    case takenAway
    /// An operator's grant of it has ended.
    case over(Instant)
    /// It is listed only in another environment.
    case elsewhere(StoreEnvironment)
    /// It is a consumable, which credits a balance and is never an entitlement.
    case consumable
    /// It is the unit of a balance that purchases credit. The value is the remaining balance.
    case balance(Int64)
    /// There was an attempt to buy it, but no purchase. The steps are those of the last attempt.
    case attempted
    /// The customer has neither bought it, nor been granted it, nor tried to buy it.
    case nothing
    /// No event states the account.
    case unknownAccount
  }

  public var account: Name
  /// The product or entitlement of the question.
  public var name: Name
  /// The store time of the answer.
  public var at: Instant
  /// The position as of which the answer is given.
  public var position: UInt64
  public var environments: [StoreEnvironment]
  /// Whether the customer has access.
  public var isHeld: Bool
  /// The customer's holdings of the name; empty if it is not listed.
  public var holdings: [Holding]
  public var ground: Ground
  /// The deciding events in the fold order. None of them can be left out.
  public var steps: [Step]
  /// The newer answer; `nil` if everything known now gives the same answer about the same store
  /// time, or if the question was not about an earlier position.
  public var learned: Learned?
}
