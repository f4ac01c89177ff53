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
      let before = unit.environments.map {
        (speakers: $0.speakers(fact, resolution.root), linked: $0.customers(linkedBy: fact))
      }
      unit.step(fact, resolution, foldContext)
      for (place, state) in unit.environments.enumerated() {
        if let only = resolution.environment, only != state.environment { continue }
        var history = holdings.removeValue(forKey: state.environment) ?? HoldingHistory()
        let after = state.speakers(fact, resolution.root)
        history.note(fact, resolution.root, before[place].speakers.union(after))
        for (former, now) in zip(before[place].linked, state.customers(linkedBy: fact)) {
          history.merge(former, into: now)
        }
        holdings[state.environment] = history
      }
    }
    var positions: Set<UInt64> = []
    for state in unit.environments {
      let customer = state.knownCustomer(of: account)
      guard customer != .nobody, let history = holdings[state.environment] else { continue }
      let held = state.transactions.filter { $0.holder == customer }.map(\.number)
      let chains = state.chains.filter { state.holder(of: $0) == customer }.map(\.original)
      positions.formUnion(
        history.positions(of: customer, holding: Set(held), chains: Set(chains)))
    }
    return positions
  }
}

/// The customers that each event of an environment was about when it was folded.
private struct HoldingHistory {
  private struct Event {
    var position: UInt64
    /// The transaction that it belongs to; 0 if it names none.
    var root: NameNumber
    /// The chain, if it names no transaction; else 0. A chain has the number of its original
    /// transaction, whose events need not be those of the chain's holder.
    var chain: NameNumber
    var customers: Set<Holder>
  }

  private var events: [Event] = []
  /// Maps a customer that a link merged to the customer that it was merged into.
  private var merged: [Holder: Holder] = [:]

  mutating func note(_ fact: Fact, _ root: NameNumber, _ customers: Set<Holder>) {
    // Some events from the store name only the chain.
    events.append(
      Event(
        position: fact.position, root: root, chain: root == 0 ? fact.original : 0,
        customers: customers))
  }

  mutating func merge(_ former: Holder, into customer: Holder) {
    if former != customer, former != .nobody { merged[former] = customer }
  }

  func positions(
    of customer: Holder, holding transactions: Set<NameNumber>, chains: Set<NameNumber>
  ) -> [UInt64] {
    let wanted = current(customer)
    return events.filter { event in
      transactions.contains(event.root) || chains.contains(event.chain)
        || event.customers.contains { current($0) == wanted }
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
    if chain >= 0 { customers.insert(holder(of: chains[chain])) }
    customers.remove(.nobody)
    return customers
  }

  /// The holder of a chain's first purchase.
  fileprivate func holder(of chain: ChainState) -> Holder {
    chain.firstPurchase == none ? .nobody : transactions[chain.firstPurchase].holder
  }

  /// The customers of the two accounts that a link names; empty for any other fact.
  fileprivate func customers(linkedBy fact: Fact) -> [Holder] {
    guard fact.kind == .accountLinked else { return [] }
    return [fact.account, fact.detail?.fields.to ?? 0].map { knownCustomer(of: $0) }
  }
}
