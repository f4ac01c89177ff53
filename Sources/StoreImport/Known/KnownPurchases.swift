public import LedgerEvents

/// What a ledger already knows about the chains in a receipt.
///
/// The importer does not read a ledger. Callers that have one look these values up and pass them
/// in.
public struct KnownPurchases: Sendable {
  /// The holder of a transaction, by the model.
  public enum Holder: Hashable, Sendable {
    /// All linked ids of one customer, starting with the one that the purchase states.
    case customer([Name])
    /// A customer who was erased. The transaction has no owner and will not get one.
    case forgotten
  }

  /// A transaction that events in the ledger name.
  public struct Transaction: Sendable {
    public var transaction: Name
    /// The original transaction by the model: the first one that an event of the transaction
    /// states, else the transaction itself.
    public var original: Name
    /// The first account that an event of the transaction states. If the purchase was transferred,
    /// this is not the holder's account.
    public var statedAccount: Name?
    /// The holder; `nil` if no account is known.
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
    /// When the store stated it. This differs from the event's own time for the end of a lapsed
    /// subscription, which occurs when the last period ends.
    public var saidAt: Instant

    public init(event: Event, saidAt: Instant) {
      self.event = event
      self.saidAt = saidAt
    }
  }

  /// An `account.transferred`.
  public struct Transfer: Sendable {
    public var from: Name
    public var to: Name
    public var at: Instant

    public init(from: Name, to: Name, at: Instant) {
      self.from = from
      self.to = to
      self.at = at
    }
  }

  /// The transactions of the chains that the receipt lists, in the order of their first events.
  public var transactions: [Transaction]
  /// The renewal states by original transaction, in any order.
  public var renewals: [Name: [RenewalState]]
  /// The transactions that are known to have ended by an upgrade. The store can state an upgrade
  /// without a date; it is then recorded only once.
  public var upgraded: Set<Name>
  /// For each account, all ids of the same customer.
  public var linked: [Name: Set<Name>]
  /// The facts that were imported about each transaction: purchases, periods, offers, refunds and
  /// revocations, and reversals of refunds.
  public var facts: [Name: [Event]]
  /// The events that the ledger has under the ids that an import looks up
  /// (``ImportSubjects/identifiers``).
  public var recorded: [Name: Event]
  /// The notifications of a file that the ledger has in other words. Those count.
  var recordedOtherwise: [Name] = []
  /// The notifications of a file that the ledger has with the date of a later copy.
  var recordedLater: [Name] = []
  /// The transactions of the file whose customer was erased.
  var forgotten: Set<Name> = []
  /// For each original transaction, since when an event of its chain states an account. Absent if
  /// none does, or if anything was linked or transferred between such accounts.
  public var statedSince: [Name: Instant] = [:]
  /// The transactions that have a purchase fact, from whichever side.
  public var bought: Set<Name> = []
  /// What accounts gave to others, if ``ImportSubjects/followsTransfers``.
  public var transfers: [Transfer] = []

  public init(
    transactions: [Transaction] = [], renewals: [Name: [RenewalState]] = [:],
    upgraded: Set<Name> = [], linked: [Name: Set<Name>] = [:], facts: [Name: [Event]] = [:],
    recorded: [Name: Event] = [:]
  ) {
    self.facts = facts
    self.recorded = recorded
    self.transactions = transactions
    self.renewals = renewals
    self.upgraded = upgraded
    self.linked = linked
  }

  func areOneCustomer(_ left: Name, _ right: Name) -> Bool {
    left == right || linked[left]?.contains(right) == true || linked[right]?.contains(left) == true
  }
}
