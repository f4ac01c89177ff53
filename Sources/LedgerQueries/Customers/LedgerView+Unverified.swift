public import LedgerEvents
public import LedgerStore

extension LedgerView {
  /// Returns the transactions of an answer that are known only from what the store signs and nobody
  /// verified: imports of decoded JSON, or with `--unverified`.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit; only purchases are decoded.
  /// - Throws: ``LedgerError``.
  public func unverified(in answer: EntitlementsAnswer) throws(LedgerError) -> Set<Name> {
    let wanted = Set(answer.entries.flatMap(\.transactions))
    guard !wanted.isEmpty else { return [] }
    var evidence = PurchaseEvidence()
    if let account = answer.account {
      try evidence.add(from: self, upTo: answer.position) { $0.account = account }
    }
    // In a question by transaction, or about a time before they were transferred.
    for transaction in wanted.subtracting(evidence.seen) {
      try evidence.add(from: self, upTo: answer.position) { $0.transaction = transaction }
    }
    return evidence.unverified.subtracting(evidence.others).intersection(wanted)
  }
}

/// Which transactions were stated by purchases that nobody verified, and which by others.
private struct PurchaseEvidence {
  private(set) var unverified: Set<Name> = []
  private(set) var others: Set<Name> = []

  var seen: Set<Name> { unverified.union(others) }

  mutating func add(
    from view: LedgerView, upTo position: UInt64, _ about: (inout EventsQuery) -> Void
  ) throws(LedgerError) {
    for kind in [EventKind.transactionPurchased, .subscriptionRenewed] {
      var query = EventsQuery()
      query.type = kind.text
      query.to = position
      about(&query)
      try view.events(query) { (recorded) throws(LedgerError) in
        guard let transaction = recorded.event.transaction else { return true }
        if recorded.event.data.boolean("verified") == false {
          unverified.insert(transaction)
        } else {
          others.insert(transaction)
        }
        return true
      }
    }
  }
}
