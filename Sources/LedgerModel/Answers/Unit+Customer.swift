public import LedgerEvents

/// Whose the events are that name only a chain of which several customers hold a transaction.
public enum SharedChainEvents: Sendable {
  /// Those of each holder: each of them has what the chain grants.
  case ofEachHolder
  /// Those of nobody while there are several holders: what one of them has erased must stay
  /// readable for the others.
  case ofSingleHolder
}

/// Transactions that customers of a unit hold, and the chains of these.
package struct UnitHoldings {
  package var transactions: Set<NameNumber> = []
  /// The original transactions of the chains.
  package var originals: Set<NameNumber> = []

  package init() {}
}

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

  /// The transaction that a payment is known to belong to; otherwise the payment's own number.
  ///
  /// - Complexity: O(1).
  package func transaction(ofPayment payment: NameNumber) -> NameNumber {
    identity.transaction(ofPayment: payment)
  }

  /// What customers hold in any environment who have another account than `accounts`.
  ///
  /// - Complexity: O(*n*) in the unit's accounts and transactions.
  package func holdings(ofOthersThan accounts: Set<NameNumber>) -> UnitHoldings {
    var holdings = UnitHoldings()
    for state in environments {
      var others = Set(
        state.accounts.lazy.filter { !accounts.contains($0.number) }.map(\.customer))
      others.remove(.nobody)
      for transaction in state.transactions where others.contains(transaction.holder) {
        holdings.transactions.insert(transaction.number)
        holdings.originals.insert(transaction.original)
      }
    }
    return holdings
  }

  /// The positions of a customer's events among the unit's facts, in any environment. These are the
  /// events that state one of its account ids, and the events of the transactions that it held at
  /// the time or holds now. An event that names only a chain is about whoever holds a transaction
  /// of the chain.
  ///
  /// A link reaches back over all events of both ids. After a transfer, the former holder keeps the
  /// events up to it. After an erasure, an account id starts afresh.
  ///
  /// - Parameters:
  ///   - account: One of the customer's accounts.
  ///   - facts: The facts of the unit.
  ///   - shared: Whose the events of chains with several holders are.
  ///   - wanted: The positions that are asked about; `nil` asks about all facts.
  ///   - context: The fold context.
  ///   - texts: The texts of the facts.
  /// - Complexity: O(*n* log *n*) in the number of facts, and O(*m*) in the transactions of the
  ///   chain for each event that names only a chain.
  public static func positions(
    ofCustomer account: NameNumber, among facts: [Fact],
    shared: SharedChainEvents = .ofEachHolder, wanted: Set<UInt64>? = nil,
    context: SharedContext, texts: any FactTexts
  ) -> Set<UInt64> {
    var holdings = HoldingHistories(wanted: wanted)
    let unit = UnitSet.fold(connected: facts, context: context, texts: texts, &holdings)
    var positions: Set<UInt64> = []
    for state in unit.environments {
      let customer = state.knownCustomer(of: account)
      guard customer != .nobody, let history = holdings.histories[state.environment] else {
        continue
      }
      let held = state.transactions.filter { $0.holder == customer }.map(\.number)
      positions.formUnion(
        history.positions(
          of: customer, holding: Set(held), chains: state.chains(of: customer, shared), shared))
    }
    return positions
  }
}

/// Collects, in each environment, which customers each event was about when it was folded.
private struct HoldingHistories: FoldObserver {
  /// What a fact was about in one environment before it was folded.
  private struct Before {
    var speakers: Set<Holder>
    var chainHolders: Set<Holder>
    var linked: [Holder]
  }

  /// The positions of the events to collect; `nil` for all.
  private let wanted: Set<UInt64>?
  private(set) var histories: [StoreEnvironment: HoldingHistory] = [:]
  /// In the order of the unit's environments.
  private var before: [Before] = []

  init(wanted: Set<UInt64>?) { self.wanted = wanted }

  /// Whether an event is wanted, or says that two customers are one.
  private func isCollected(_ fact: Fact) -> Bool {
    guard let wanted else { return true }
    return wanted.contains(fact.position) || fact.kind == .accountLinked
  }

  mutating func willFold(_ fact: Fact, _ resolution: Resolution, into unit: borrowing Unit) {
    if !isCollected(fact) { return }
    before = unit.environments.map {
      Before(
        speakers: $0.speakers(fact, resolution.root),
        chainHolders: $0.chainHolders(fact, resolution.root), linked: $0.customers(linkedBy: fact))
    }
  }

  mutating func didFold(_ fact: Fact, _ resolution: Resolution, into unit: borrowing Unit) {
    if !isCollected(fact) { return }
    for (before, state) in zip(before, unit.environments) {
      if let only = resolution.environment, only != state.environment { continue }
      var history = histories.removeValue(forKey: state.environment) ?? HoldingHistory()
      history.note(
        fact, resolution.root, before.speakers.union(state.speakers(fact, resolution.root)),
        chainHolders: before.chainHolders.union(state.chainHolders(fact, resolution.root)))
      for (former, now) in zip(before.linked, state.customers(linkedBy: fact)) {
        history.merge(former, into: now)
      }
      histories[state.environment] = history
    }
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
    /// Those that it states, and the holder of its transaction.
    var customers: Set<Holder>
    /// The holders of its chain, if it names no transaction.
    var chainHolders: Set<Holder>
  }

  private var events: [Event] = []
  /// Maps a customer that a link merged to the customer that it was merged into.
  private var merged: [Holder: Holder] = [:]

  mutating func note(
    _ fact: Fact, _ root: NameNumber, _ customers: Set<Holder>, chainHolders: Set<Holder>
  ) {
    // Some events from the store name only the chain.
    events.append(
      Event(
        position: fact.position, root: root, chain: root == 0 ? fact.original : 0,
        customers: customers, chainHolders: chainHolders))
  }

  mutating func merge(_ former: Holder, into customer: Holder) {
    if former != customer, former != .nobody { merged[former] = customer }
  }

  func positions(
    of customer: Holder, holding transactions: Set<NameNumber>, chains: Set<NameNumber>,
    _ shared: SharedChainEvents
  ) -> [UInt64] {
    let wanted = current(customer)
    return events.filter { event in
      if transactions.contains(event.root) || chains.contains(event.chain) { return true }
      if event.customers.contains(where: { current($0) == wanted }) { return true }
      let holders = Set(event.chainHolders.map(current))
      switch shared {
      case .ofEachHolder: return holders.contains(wanted)
      case .ofSingleHolder: return holders == [wanted]
      }
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
  /// its transaction.
  fileprivate func speakers(_ fact: Fact, _ root: NameNumber) -> Set<Holder> {
    var customers: Set<Holder> = []
    for account in [fact.account, fact.detail?.fields.to ?? 0] where account != 0 {
      customers.insert(knownCustomer(of: account))
    }
    let index = root == 0 ? none : transactionIndex.lookUp(UInt64(root))
    if index >= 0 { customers.insert(transactions[index].holder) }
    customers.remove(.nobody)
    return customers
  }

  /// The holders of the chain of a fact that names no transaction.
  fileprivate func chainHolders(_ fact: Fact, _ root: NameNumber) -> Set<Holder> {
    guard root == 0, fact.original != 0 else { return [] }
    let chain = chainIndex.lookUp(UInt64(fact.original))
    return chain < 0 ? [] : holders(of: chain)
  }

  /// Whoever holds a transaction of a chain.
  private func holders(of chain: Int) -> Set<Holder> {
    var holders = Set(members(of: chain).map { transactions[$0].holder })
    holders.remove(.nobody)
    return holders
  }

  /// The original transactions of the chains whose events are a customer's.
  fileprivate func chains(of customer: Holder, _ shared: SharedChainEvents) -> Set<NameNumber> {
    var held: Set<Int> = []
    for transaction in transactions where transaction.holder == customer {
      if transaction.chain != none { held.insert(transaction.chain) }
    }
    if shared == .ofSingleHolder { held = held.filter { holders(of: $0) == [customer] } }
    return Set(held.map { chains[$0].original })
  }

  /// The customers of the two accounts that a link names; empty for any other fact.
  fileprivate func customers(linkedBy fact: Fact) -> [Holder] {
    guard fact.kind == .accountLinked else { return [] }
    return [fact.account, fact.detail?.fields.to ?? 0].map { knownCustomer(of: $0) }
  }
}
