import LedgerEvents
import LedgerQueries
import StoreImport

/// The names by which an event can change what a ledger knows about a file's purchases.
struct RelatedNames: Sendable {
  /// How many events an append compares with these names, while it holds the log's lock. After
  /// more, the ledger is read again.
  static let comparedEventsMax: UInt64 = 10_000

  /// The ids of events that the file determines itself.
  private var identifiers: Set<Name> = []
  /// The transactions, and the originals of their chains.
  private var transactions: Set<Name> = []
  private var accounts: Set<Name> = []

  /// - Parameters:
  ///   - subjects: What the file is about.
  ///   - known: What the ledger knows about it.
  init(of subjects: [ImportSubjects], _ known: [StoreEnvironment: KnownPurchases]) {
    for subject in subjects {
      identifiers.formUnion(subject.identifiers)
      accounts.formUnion(subject.accounts)
      for purchase in subject.purchases {
        transactions.formUnion([purchase.transaction, purchase.original])
      }
      for renewal in subject.renewals {
        transactions.insert(renewal.original)
        if let transaction = renewal.transaction { transactions.insert(transaction) }
      }
    }
    for known in known.values {
      for transaction in known.transactions {
        transactions.formUnion([transaction.transaction, transaction.original])
        if let account = transaction.statedAccount { accounts.insert(account) }
        if case .customer(let ids) = transaction.holder { accounts.formUnion(ids) }
      }
      for ids in known.linked.values { accounts.formUnion(ids) }
    }
  }

  /// Returns whether an event can change what the ledger knows about the file's purchases.
  ///
  /// Every link, transfer and erasure counts as such, because it says of whole histories whose they
  /// are. So does everything that names a payment: whose payment becomes which transaction is known
  /// to the reducer alone.
  func areNamed(by event: Event) -> Bool {
    if event.payment != nil || event.type.text.hasPrefix("account.") { return true }
    if identifiers.contains(event.id) { return true }
    if let account = event.account, accounts.contains(account) { return true }
    return [event.transaction, event.originalTransaction].contains { name in
      name.map(transactions.contains) ?? false
    }
  }

  /// Returns the condition that no such event was appended after a position.
  func condition(after position: UInt64) -> AppendCondition {
    .holds { (log) throws(LedgerError) in
      guard position < log.lastPosition else { return }
      let count = log.lastPosition - position
      guard count <= Self.comparedEventsMax else {
        throw LedgerError(
          .conditionFailed,
          "\(count) events were appended since the ledger was read, which are too many to compare: "
            + "read it again.", position: log.lastPosition)
      }
      for candidate in position + 1...log.lastPosition
      where areNamed(by: try log.event(at: candidate).event) {
        throw LedgerError(
          .conditionFailed,
          "The event at position \(candidate), after \(position), is about the same purchases or "
            + "customers: read the ledger again.", position: candidate)
      }
    }
  }
}
