public import LedgerEvents
public import LedgerStore

extension LedgerView {
  /// Returns the transactions of an answer about which something that gives or ends access is known
  /// only from what nobody verified: imports of decoded JSON, or with `--unverified`.
  ///
  /// A statement counts as verified if a verified import, or an event of another source, says the
  /// same of the transaction, with the same end.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit; only those are decoded that give or
  ///   end access.
  /// - Throws: ``LedgerError``.
  public func unverified(in answer: EntitlementsAnswer) throws(LedgerError) -> Set<Name> {
    let wanted = Set(answer.entries.flatMap(\.transactions))
    guard !wanted.isEmpty else { return [] }
    var evidence = Evidence()
    if let account = answer.account {
      try evidence.add(from: self, upTo: answer.position) { $0.account = account }
    }
    // In a question by transaction, or about a time before they were transferred.
    for transaction in wanted.subtracting(evidence.seen) {
      try evidence.add(from: self, upTo: answer.position) { $0.original = transaction }
    }
    let open = evidence.openSubjects
    var found = open.intersection(wanted)
    // A statement about a chain that its customer holds without the first transaction.
    for entry in answer.entries {
      if let original = entry.originalTransaction, open.contains(original),
        !entry.transactions.contains(original)
      {
        found.formUnion(entry.transactions)
      }
    }
    return found
  }
}

/// What events state about transactions, with and without having been verified.
private struct Evidence {
  /// What two imports of the same have in common, whether it was verified or not.
  private struct Statement: Hashable {
    var kind: EventKind
    /// The transaction, or the first one of the chain.
    var subject: Name
    var expiresAt: Instant?
    var gracePeriodExpiresAt: Instant?
  }

  /// What gives access, or ends it.
  private static let kinds: Set<EventKind> = [
    .transactionPurchased, .subscriptionRenewed, .transactionRefunded, .transactionRefundReversed,
    .transactionRevoked, .subscriptionExpired, .subscriptionGracePeriodEntered,
    .subscriptionBillingFailed, .subscriptionBillingRecovered, .subscriptionRenewalExtended,
  ]

  private var unverified: Set<Statement> = []
  private var others: Set<Statement> = []
  /// The transactions whose purchases were found.
  private(set) var seen: Set<Name> = []

  /// The transactions and chains with a statement that nothing else says.
  var openSubjects: Set<Name> { Set(unverified.subtracting(others).map(\.subject)) }

  mutating func add(
    from view: LedgerView, upTo position: UInt64, _ about: (inout EventsQuery) -> Void
  ) throws(LedgerError) {
    var query = EventsQuery()
    query.to = position
    about(&query)
    try view.matches(of: query) { (position) throws(LedgerError) in
      guard Self.kinds.contains(try view.log.record(at: position).kind) else { return true }
      add(try view.log.event(at: position).event)
      return true
    }
  }

  private mutating func add(_ event: Event) {
    guard let subject = event.transaction ?? event.originalTransaction else { return }
    var kind = event.type.kind
    if kind == .transactionPurchased || kind == .subscriptionRenewed {
      // A renewal is a purchase by some imports.
      kind = .transactionPurchased
      seen.insert(subject)
    }
    let statement = Statement(
      kind: kind, subject: subject, expiresAt: event.data.instant("expiresAt"),
      gracePeriodExpiresAt: event.data.instant("gracePeriodExpiresAt"))
    if event.data.boolean("verified") == false {
      unverified.insert(statement)
    } else {
      others.insert(statement)
    }
  }
}
