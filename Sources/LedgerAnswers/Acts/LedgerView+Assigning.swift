package import LedgerEvents
package import LedgerQueries

/// Whether a purchase can be said to be somebody's.
package enum Assignability: Sendable {
  /// Nobody else has it. The condition says that nothing more has become known of it meanwhile.
  case free(AppendCondition)
  /// The ledger knows no such transaction.
  case unknown
  /// The transaction is of this environment.
  case elsewhere(StoreEnvironment)
  /// It was a customer's who was erased, and stays nobody's.
  case erased
  /// This account has it, and an assignment never takes a purchase away.
  case owned(Name)
}

extension LedgerView {
  /// Whether a transaction can be assigned to an account.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - account: Whose it is to be.
  ///   - environment: Its environment.
  /// - Throws: `LedgerError`.
  package func assignability(
    of transaction: Name, to account: Name, environment: StoreEnvironment
  ) throws(LedgerError) -> Assignability {
    let reference = CustomerReference.transaction(transaction)
    let entries = try transactions(of: reference, environments: StoreEnvironment.allCases).entries
    guard entries.contains(where: { $0.environment == environment }) else {
      return entries.first.map { .elsewhere($0.environment) } ?? .unknown
    }
    guard !entries.contains(where: \.isErasedCustomers) else { return .erased }
    let owners = try accounts(of: reference, environments: [environment], clocks: .now)
    if let owner = owners.first, !owners.contains(account) { return .owned(owner) }
    return .free(.noEvent(matching: EventFilter(transaction: transaction), after: position))
  }
}
