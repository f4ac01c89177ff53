import LedgerEvents

/// What each holder has in one environment, for whoever asks about many customers of a unit. It is
/// derived from the tables, never stored, and forgotten when events are folded.
struct HolderIndex: Sendable {
  fileprivate var transactions: [Holder: [Int]]
  fileprivate var accounts: [Holder: [Int]]
  fileprivate var contents: [Holder: [Int]]
  fileprivate var grants: [Holder: [Int]]
  fileprivate var consumptions: [Holder: [Int]]

  fileprivate init(_ state: EnvironmentState) {
    transactions = Dictionary(grouping: state.transactions.indices) {
      state.transactions[$0].holder
    }
    accounts = Dictionary(grouping: state.accounts.indices) { state.accounts[$0].customer }
    contents = Dictionary(grouping: state.contents.indices) { state.contents[$0].holder }
    grants = Dictionary(grouping: state.grants.indices) { state.grants[$0].holder }
    consumptions = Dictionary(grouping: state.consumptions.indices) {
      state.consumptions[$0].holder
    }
  }
}

extension Unit {
  /// Makes each answer about a customer cost what the customer has, and not all that the unit has.
  /// A unit with few accounts does without.
  ///
  /// - Complexity: O(*n*) in the unit.
  package mutating func indexHolders() {
    for index in environments.indices
    where environments[index].accounts.count > FoldIndexes.walkedCountMax {
      environments[index].indexes.holders = HolderIndex(environments[index])
    }
  }

  /// Forgets what events that are about to be folded can change.
  mutating func forgetHolders() {
    for index in environments.indices where environments[index].indexes.holders != nil {
      environments[index].indexes.holders = nil
    }
  }
}

// MARK: - What a holder has

extension EnvironmentState {
  /// The transactions that belong to a customer, or to a chain.
  func transactions(of scope: Scope) -> [Int] {
    switch scope {
    case .customer(let customer):
      indexes.holders.map { $0.transactions[customer] ?? [] }
        ?? transactions.indices.filter { transactions[$0].holder == customer }
    case .chain(let chain): transactions.indices.filter { transactions[$0].chain == chain }
    }
  }

  func accounts(of customer: Holder) -> [Int] {
    indexes.holders.map { $0.accounts[customer] ?? [] }
      ?? accounts.indices.filter { accounts[$0].customer == customer }
  }

  func contents(of customer: Holder) -> [Int] {
    indexes.holders.map { $0.contents[customer] ?? [] }
      ?? contents.indices.filter { contents[$0].holder == customer }
  }

  func grants(of customer: Holder) -> [Int] {
    if let known = indexes.holders { return known.grants[customer] ?? [] }
    return indexes.grantsByHolder.knownRows(with: customer)
      ?? grants.indices.filter { grants[$0].holder == customer }
  }

  func consumptions(of customer: Holder) -> [Int] {
    if let known = indexes.holders { return known.consumptions[customer] ?? [] }
    return indexes.consumptionsByHolder.knownRows(with: customer)
      ?? consumptions.indices.filter { consumptions[$0].holder == customer }
  }

  /// What operators granted to a customer, while events are folded.
  ///
  /// - Complexity: O(*k*) in what they granted to the customer; O(*n*) in all grants the first time
  ///   that there are many.
  mutating func findGrants(of customer: Holder) -> [Int] {
    if grants.count <= FoldIndexes.walkedCountMax { return grants(of: customer) }
    let grants = grants
    return indexes.grantsByHolder.rows(with: customer, in: grants) { $0.holder }
  }

  /// What a customer has consumed, while events are folded.
  ///
  /// - Complexity: O(*k*) in the customer's units; O(*n*) in what all have consumed the first time
  ///   that it is much.
  mutating func findConsumptions(of customer: Holder) -> [Int] {
    if consumptions.count <= FoldIndexes.walkedCountMax { return consumptions(of: customer) }
    let consumptions = consumptions
    return indexes.consumptionsByHolder.rows(with: customer, in: consumptions) { $0.holder }
  }
}
