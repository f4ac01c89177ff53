public import LedgerEvents
public import LedgerStore

extension LedgerView {
  /// Returns the transactions of an answer that are known only from what the store signs and nobody
  /// verified: imports of decoded JSON, or with `--unverified`.
  ///
  /// - Complexity: O(*n*) in the events of the answer's transactions.
  /// - Throws: ``LedgerError``.
  public func unverified(in answer: EntitlementsAnswer) throws(LedgerError) -> Set<Name> {
    var unverified: Set<Name> = []
    for transaction in Set(answer.entries.flatMap(\.transactions)) {
      var isUnverified = false
      var query = EventsQuery()
      query.transaction = transaction
      query.to = answer.position
      try events(query) { (recorded) throws(LedgerError) in
        let event = recorded.event
        guard event.type.kind == .transactionPurchased || event.type.kind == .subscriptionRenewed
        else { return true }
        isUnverified = event.data.boolean("verified") == false
        return isUnverified
      }
      if isUnverified { unverified.insert(transaction) }
    }
    return unverified
  }
}
