public import LedgerEvents

/// What a ledger knows already of the chains that a receipt lists.
///
/// The importer reads no ledger: whoever has one answers these questions, and gives the answers.
public struct KnownPurchases: Sendable {
  /// Who holds a transaction by the model.
  public enum Holder: Hashable, Sendable {
    /// All linked ids of one customer; the one that the purchase states comes first.
    case customer([Name])
    /// A customer who was erased: the transaction is nobody's, and stays so.
    case forgotten
  }

  /// One transaction that events of the ledger name.
  public struct Transaction: Sendable {
    public var transaction: Name
    /// By the model: the first original that an event of it states, else its own id.
    public var original: Name
    /// The first account that an event of it states. It is not the holder's where the purchase was
    /// transferred.
    public var statedAccount: Name?
    /// `nil` where no account is known.
    public var holder: Holder?

    public init(
      transaction: Name, original: Name, statedAccount: Name? = nil, holder: Holder? = nil
    ) {
      self.transaction = transaction
      self.original = original
      self.statedAccount = statedAccount
      self.holder = holder
    }
  }

  /// A `subscription.*` event of a chain.
  public struct RenewalState: Sendable {
    public var event: Event
    /// When the store said it. It differs from the event's own time for the end of a lapsed
    /// subscription, which occurs when the last period ends.
    public var saidAt: Instant

    public init(event: Event, saidAt: Instant) {
      self.event = event
      self.saidAt = saidAt
    }
  }

  /// The transactions of the chains that the receipt lists, in the order of their first events.
  public var transactions: [Transaction]
  /// By original, in any order.
  public var renewals: [Name: [RenewalState]]
  /// Transactions that are known to have ended by an upgrade. The store may state that without a
  /// date; it is then told once.
  public var upgraded: Set<Name>
  /// By account: all ids that are one customer with it.
  public var linked: [Name: Set<Name>]

  public init(
    transactions: [Transaction] = [], renewals: [Name: [RenewalState]] = [:],
    upgraded: Set<Name> = [], linked: [Name: Set<Name>] = [:]
  ) {
    self.transactions = transactions
    self.renewals = renewals
    self.upgraded = upgraded
    self.linked = linked
  }

  func areOneCustomer(_ left: Name, _ right: Name) -> Bool {
    left == right || linked[left]?.contains(right) == true || linked[right]?.contains(left) == true
  }
}
