import LedgerEvents

/// What each holder has in one environment, for whoever asks about many customers of a unit. They
/// are made if somebody asks for them, and forgotten when events are folded.
struct HolderIndexes: Sendable {
  fileprivate var transactions = RowIndex<Holder>()
  fileprivate var accounts = RowIndex<Holder>()
  fileprivate var contents = RowIndex<Holder>()

  var areMade: Bool { transactions.isMade }
}

extension Unit {
  /// The unit, with each answer about a customer at the cost of what the customer has, and not of
  /// all that the unit has. A unit with few accounts does without.
  ///
  /// - Complexity: O(*n*) in the unit.
  package func indexedByHolder() -> Unit {
    var unit = self
    for index in environments.indices
    where environments[index].accounts.count > FoldIndexes.walkedCountMax {
      unit.environments[index].indexHolders()
    }
    return unit
  }
}

extension EnvironmentState {
  fileprivate mutating func indexHolders() {
    indexes.holders.transactions.make(of: transactions) { $0.holder }
    indexes.holders.accounts.make(of: accounts) { $0.customer }
    indexes.holders.contents.make(of: contents) { $0.holder }
    indexes.grantsByHolder.make(of: grants) { $0.holder }
    indexes.consumptionsByHolder.make(of: consumptions) { $0.holder }
  }

  /// The transactions that belong to a customer, or to a chain.
  func transactions(of scope: Scope) -> [Int] {
    if case .customer(let customer) = scope,
      let known = indexes.holders.transactions.knownRows(with: customer)
    {
      return known
    }
    return transactions.indices.filter { holds(scope, $0) }
  }

  /// The ids of a customer.
  func accounts(of customer: Holder) -> [NameNumber] {
    let known = indexes.holders.accounts.knownRows(with: customer)
    return known?.map { accounts[$0].number }
      ?? accounts.filter { $0.customer == customer }.map(\.number)
  }

  /// The content that a customer has, or had.
  func contents(of customer: Holder) -> [ContentState] {
    indexes.holders.contents.knownRows(with: customer)?.map { contents[$0] }
      ?? contents.filter { $0.holder == customer }
  }

  /// What operators granted to a customer, including grants that have ended.
  func grants(of customer: Holder) -> [GrantState] {
    indexes.grantsByHolder.knownRows(with: customer)?.map { grants[$0] }
      ?? grants.filter { $0.holder == customer }
  }

  /// What a customer has consumed, by unit.
  func consumptions(of customer: Holder) -> [ConsumptionState] {
    indexes.consumptionsByHolder.knownRows(with: customer)?.map { consumptions[$0] }
      ?? consumptions.filter { $0.holder == customer }
  }
}

// MARK: - While events are folded

extension EnvironmentState {
  /// The indices of what operators granted to a customer.
  ///
  /// - Complexity: O(*k*) in what they granted to the customer; O(*n*) in all grants the first time
  ///   that there are many.
  mutating func findGrants(of customer: Holder) -> [Int] {
    let grants = grants
    if grants.count <= FoldIndexes.walkedCountMax {
      return grants.indices.filter { grants[$0].holder == customer }
    }
    return indexes.grantsByHolder.rows(with: customer, in: grants) { $0.holder }
  }

  /// The indices of what a customer has consumed.
  ///
  /// - Complexity: O(*k*) in the customer's units; O(*n*) in what all have consumed the first time
  ///   that it is much.
  mutating func findConsumptions(of customer: Holder) -> [Int] {
    let consumptions = consumptions
    if consumptions.count <= FoldIndexes.walkedCountMax {
      return consumptions.indices.filter { consumptions[$0].holder == customer }
    }
    return indexes.consumptionsByHolder.rows(with: customer, in: consumptions) { $0.holder }
  }

  /// Removes a grant. The indices of those after it change.
  mutating func removeGrant(at index: Int) -> GrantState {
    indexes.grantsByHolder = RowIndex()
    return grants.remove(at: index)
  }

  /// Removes what somebody has consumed. The indices of what stands after it change.
  mutating func removeConsumption(at index: Int) -> ConsumptionState {
    indexes.consumptionsByHolder = RowIndex()
    return consumptions.remove(at: index)
  }
}
