public import LedgerEvents

extension Unit {
  /// The environment in which a fact of the unit is folded; `nil` if it counts in every one.
  ///
  /// - Complexity: O(1).
  public func environment(of fact: Fact) -> StoreEnvironment? {
    identity.resolved(Identity.Statement(fact)).environment
  }

  /// The transaction that a fact of the unit belongs to, even if the fact names only a payment; 0
  /// if it names neither. While no event names both, the payment's number stands for the
  /// transaction.
  ///
  /// - Complexity: O(1).
  public func transaction(of fact: Fact) -> NameNumber {
    identity.resolved(Identity.Statement(fact)).root
  }

  /// The positions of a customer's events among the unit's facts, in any environment. These are the
  /// events that state one of its account ids, and the events of the transactions that it held at
  /// the time or holds now. For events that name no transaction, the chain decides.
  ///
  /// A link reaches back over all events of both ids. After a transfer, the former holder keeps the
  /// events up to it. After an erasure, an account id starts afresh.
  ///
  /// - Complexity: O(*n* log *n*) in the number of facts.
  public static func positions(
    ofCustomer account: NameNumber, among facts: [Fact], context: SharedContext,
    texts: any FactTexts
  ) -> Set<UInt64> {
    var holdings: [StoreEnvironment: HoldingHistory] = [:]
    var unit = Unit()
    let foldContext = FoldContext(context: context, texts: texts)
    let settled = unit.begin(facts, foldContext)
    for (fact, resolution) in zip(settled.facts, settled.resolutions) {
      let before = unit.environments.map { $0.speakers(fact, resolution.root) }
      unit.step(fact, resolution, foldContext)
      for (place, state) in unit.environments.enumerated() {
        if let only = resolution.environment, only != state.environment { continue }
        var history = holdings.removeValue(forKey: state.environment) ?? HoldingHistory()
        let after = state.speakers(fact, resolution.root)
        history.note(fact, resolution.root, before[place].union(after))
        if fact.kind == .accountLinked {
          history.merge(before[place], into: state.knownCustomer(of: fact.account))
        }
        holdings[state.environment] = history
      }
    }
    var positions: Set<UInt64> = []
    for state in unit.environments {
      let customer = state.knownCustomer(of: account)
      guard customer != .nobody, let history = holdings[state.environment] else { continue }
      var held: Set<NameNumber> = []
      for transaction in state.transactions where transaction.holder == customer {
        held.insert(transaction.number)
        if transaction.chain != none { held.insert(state.chains[transaction.chain].original) }
      }
      positions.formUnion(history.positions(of: customer, holding: held))
    }
    return positions
  }
}

/// The customers that each event of an environment was about when it was folded.
private struct HoldingHistory {
  private var events: [(position: UInt64, root: NameNumber, customers: Set<Holder>)] = []
  /// Maps a customer that a link merged to the customer that it was merged into.
  private var merged: [Holder: Holder] = [:]

  mutating func note(_ fact: Fact, _ root: NameNumber, _ customers: Set<Holder>) {
    // Some events from the store name only the chain.
    events.append((fact.position, root == 0 ? fact.original : root, customers))
  }

  mutating func merge(_ customers: Set<Holder>, into left: Holder) {
    for right in customers where right != left { merged[right] = left }
  }

  func positions(of customer: Holder, holding held: Set<NameNumber>) -> [UInt64] {
    let wanted = current(customer)
    return events.filter { event in
      held.contains(event.root) || event.customers.contains { current($0) == wanted }
    }.map(\.position)
  }

  private func current(_ customer: Holder) -> Holder {
    var customer = customer
    while let next = merged[customer] { customer = next }
    return customer
  }
}

extension EnvironmentState {
  /// The customers that a fact is about: those of the accounts that it states, and the holder of
  /// its transaction or chain.
  fileprivate func speakers(_ fact: Fact, _ root: NameNumber) -> Set<Holder> {
    var customers: Set<Holder> = []
    for account in [fact.account, fact.detail?.fields.to ?? 0] where account != 0 {
      customers.insert(knownCustomer(of: account))
    }
    let place = root == 0 ? none : transactionIndex.lookUp(UInt64(root))
    if place >= 0 { customers.insert(transactions[place].holder) }
    let chain = root == 0 && fact.original != 0 ? chainIndex.lookUp(UInt64(fact.original)) : none
    if chain >= 0, chains[chain].firstPurchase != none {
      customers.insert(transactions[chains[chain].firstPurchase].holder)
    }
    customers.remove(.nobody)
    return customers
  }
}
