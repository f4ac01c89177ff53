package import LedgerEvents
package import LedgerQueries

extension LedgerView {
  /// Whether an event of the ledger states the account, transaction or original.
  ///
  /// - Parameters:
  ///   - customer: Who.
  ///   - clocks: The two clocks.
  /// - Throws: `LedgerError`.
  package func isKnown(_ customer: CustomerReference, _ clocks: Clocks) throws(LedgerError) -> Bool
  {
    try entitlements(of: customer, clocks: clocks, now: EventLog.systemClock()).isKnown
  }

  /// The account that a question is about, for questions that need an account.
  ///
  /// - Parameters:
  ///   - customer: How the question names them.
  ///   - environments: In which environments the account is looked for.
  ///   - clocks: The two clocks.
  /// - Throws: `LedgerError`, `notFound` if no known account holds what is named.
  package func account(
    of customer: CustomerReference, _ environments: [StoreEnvironment], _ clocks: Clocks
  ) throws(LedgerError) -> Name {
    if case .account(let name) = customer { return name }
    let accounts = try accounts(of: customer, environments: environments, clocks: clocks)
    if let account = accounts.first { return account }
    throw LedgerError(
      .notFound,
      try isKnown(customer, clocks)
        ? "Nobody known holds \(customer.words): say whose it is with an event "
          + "transaction.assigned, or ask with `daybook customer`."
        : "\(customer.words) is not known to the ledger.")
  }
}

extension CustomerReference {
  /// The customer in words, as they are named: `account reader-1`.
  package var words: String {
    switch self {
    case .account(let name): "account \(name.text)"
    case .transaction(let name): "transaction \(name.text)"
    case .original(let name): "original \(name.text)"
    }
  }
}
