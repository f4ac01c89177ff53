public import LedgerEvents
internal import LedgerModel
public import LedgerStore

extension LedgerView {
  /// Returns the transactions of an answer about which something that gives or ends access is known
  /// only from what nobody verified: imports of decoded JSON, or with `--unverified`.
  ///
  /// A statement counts as verified if a verified import, or an event of another source, says the
  /// same of the transaction, with the same end.
  ///
  /// - Complexity: O(*n*) in the events of the unit. Nothing is folded, and only those are decoded
  ///   that give or end the access in the answer. O(1) for an answer without transactions.
  /// - Throws: ``LedgerError``.
  public func unverified(in answer: EntitlementsAnswer) throws(LedgerError) -> Set<Name> {
    let wanted = Set(answer.entries.flatMap(\.transactions))
    guard !wanted.isEmpty else { return [] }
    var subjects: Set<NameNumber> = []
    var units: Set<UInt32> = []
    for name in wanted.union(answer.entries.compactMap(\.originalTransaction)) {
      guard let number = try number(of: .transaction, name),
        let unit = try unitNumber(of: number)
      else { continue }
      subjects.insert(number)
      units.insert(unit)
    }
    var evidence = Evidence()
    for unit in units {
      // What is left out is no evidence.
      let facts = try facts(
        of: unit, at: Clocks(asOf: .position(answer.position)), entitlementsAt: .max,
        kinds: Evidence.kinds)
      for fact in facts
      where Evidence.kinds.contains(fact.kind)
        && subjects.contains(fact.transaction != 0 ? fact.transaction : fact.original)
      { evidence.add(try log.event(at: fact.position).event) }
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
  static let kinds: Set<EventKind> = [
    .transactionPurchased, .subscriptionRenewed, .transactionRefunded, .transactionRefundReversed,
    .transactionRevoked, .subscriptionExpired, .subscriptionGracePeriodEntered,
    .subscriptionBillingFailed, .subscriptionBillingRecovered, .subscriptionRenewalExtended,
  ]

  private var unverified: Set<Statement> = []
  private var others: Set<Statement> = []

  /// The transactions and chains with a statement that nothing else says.
  var openSubjects: Set<Name> { Set(unverified.subtracting(others).map(\.subject)) }

  mutating func add(_ event: Event) {
    guard let subject = event.transaction ?? event.originalTransaction else { return }
    var kind = event.type.kind
    if kind == .transactionPurchased || kind == .subscriptionRenewed {
      // A renewal is a purchase by some imports.
      kind = .transactionPurchased
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
