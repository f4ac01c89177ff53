import LedgerEvents
package import LedgerQueries

extension LedgerView {
  /// The first purchase of each chain that no account has. What an erased customer had stays
  /// nobody's, so there is nothing to do about it.
  ///
  /// - Parameters:
  ///   - entries: The transactions of one unit.
  ///   - clocks: The two clocks.
  /// - Throws: `LedgerError`.
  package func ownerless(
    _ entries: [TransactionsAnswer.Entry], clocks: Clocks
  ) throws(LedgerError) -> [TransactionsAnswer.Entry] {
    struct Chain: Hashable {
      let environment: StoreEnvironment
      let original: Name
    }
    func chain(of entry: TransactionsAnswer.Entry, _ transaction: Name) -> Chain {
      Chain(environment: entry.environment, original: entry.originalTransaction ?? transaction)
    }
    var seen: Set<Chain> = []
    for entry in entries where entry.isErasedCustomers {
      if let transaction = entry.transaction { seen.insert(chain(of: entry, transaction)) }
    }
    var found: [TransactionsAnswer.Entry] = []
    for entry in entries {
      guard entry.purchasedAt != nil, let transaction = entry.transaction else { continue }
      let chain = chain(of: entry, transaction)
      guard seen.insert(chain).inserted else { continue }
      // An account may have the chain by another transaction of it, or by a transfer.
      let owners = try accounts(
        of: .transaction(transaction), environments: [entry.environment], clocks: clocks)
      if owners.isEmpty { found.append(entry) }
    }
    return found
  }
}
