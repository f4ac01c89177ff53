package import LedgerEvents

/// What grants something to the customers of a unit, from which the stored answers are made.
///
/// It follows the unit: after an advance, only what the new facts touched is evaluated again. What
/// it says equals `Unit.answer(_:environments:at:context:texts:)` from the customer's newest event
/// on.
package struct UnitGrants: Sendable {
  fileprivate struct Part: Sendable {
    var environment: StoreEnvironment
    var customers: [Int: CustomerGrants] = [:]
    /// By customer: its accounts.
    var accounts: [Int: [NameNumber]] = [:]

    mutating func add(_ account: NameNumber, of customer: Int) {
      if accounts[customer]?.contains(account) ?? false { return }
      accounts[customer, default: []].append(account)
    }
  }

  private var parts: [Part] = []

  /// - Complexity: O(*n*) in the unit's transactions.
  package init(of unit: Unit, context: SharedContext, texts: any FactTexts) {
    let foldContext = FoldContext(context: context, texts: texts)
    for state in unit.environments { parts.append(Self.part(of: state, foldContext)) }
  }

  private static func part(of state: EnvironmentState, _ foldContext: FoldContext) -> Part {
    var part = Part(environment: state.environment)
    for account in state.accounts {
      if let customer = account.customer.customer { part.add(account.number, of: customer) }
    }
    for index in state.transactions.indices {
      guard state.transactions[index].isBegun,
        let customer = state.transactions[index].holder.customer
      else { continue }
      state.eachReport(of: index) {
        part.customers[customer, default: CustomerGrants()].note($0)
      }
    }
    for chain in state.chains.indices { _ = part.update(chain, in: state, foldContext) }
    return part
  }
}

extension UnitGrants {
  /// What an account's customer has in one environment from its newest event on; `nil` if it has no
  /// customer there.
  ///
  /// - Complexity: O(*p* *m*) in the customer's products and the moments at which something can
  ///   change by time alone, and in the transactions of the chains that can.
  package mutating func segments(
    of account: NameNumber, in environment: StoreEnvironment, of unit: Unit,
    context: SharedContext, texts: any FactTexts
  ) -> (newest: Int64, segments: [GrantSegment])? {
    guard let index = unit.index(of: environment),
      let customer = unit.environments[index].knownCustomer(of: account).customer,
      let part = parts.firstIndex(where: { $0.environment == environment })
    else { return nil }
    let newest = unit.environments[index].customers[customer]
    let segments = parts[part].customers[customer, default: CustomerGrants()].segments(
      of: customer, in: unit.environments[index], from: newest,
      FoldContext(context: context, texts: texts))
    return (newest, segments)
  }

  /// Follows the unit after it has advanced with facts. Returns the accounts whose answers may have
  /// changed; `nil` if the facts move what customers hold, and all has to be made again.
  ///
  /// - Complexity: O(*k*) in the facts, and in the transactions of the chains that they touch.
  package mutating func follow(
    _ facts: [Fact], in unit: Unit, context: SharedContext, texts: any FactTexts
  ) -> Set<NameNumber>? {
    if facts.contains(where: Unit.movesHoldings) { return nil }
    let foldContext = FoldContext(context: context, texts: texts)
    addParts(of: unit, foldContext)
    var touched = Touched()
    for fact in facts {
      if fact.account != 0 { touched.accounts.insert(fact.account) }
      for parts in unit.parts(touchedBy: fact) { touched.add(parts) }
    }
    for (index, chains) in touched.chains {
      for chain in chains {
        touched.customers[index, default: []].formUnion(
          parts[index].update(chain, in: unit.environments[index], foldContext))
      }
    }
    for (index, transactions) in touched.transactions {
      let state = unit.environments[index]
      for transaction in transactions {
        guard let customer = state.transactions[transaction].holder.customer else { continue }
        state.eachReport(of: transaction) {
          parts[index].customers[customer, default: CustomerGrants()].note($0)
        }
      }
    }
    for account in touched.accounts {
      for index in parts.indices {
        let known = unit.environments[index].knownCustomer(of: account).customer
        guard let customer = known else { continue }
        parts[index].add(account, of: customer)
        // Whoever states an account says something of all accounts of its customer.
        touched.customers[index, default: []].insert(customer)
      }
    }
    for (index, customers) in touched.customers {
      for customer in customers {
        touched.accounts.formUnion(parts[index].accounts[customer] ?? [])
      }
    }
    return touched.accounts
  }

  /// Adds what environments have that the new facts brought. Its facts are all new.
  private mutating func addParts(of unit: Unit, _ foldContext: FoldContext) {
    for (index, state) in unit.environments.enumerated() {
      if index < parts.count, parts[index].environment == state.environment { continue }
      parts.insert(Self.part(of: state, foldContext), at: index)
    }
  }

  /// What facts have touched, by the index of the environment.
  private struct Touched {
    var accounts: Set<NameNumber> = []
    var customers: [Int: Set<Int>] = [:]
    var chains: [Int: Set<Int>] = [:]
    var transactions: [Int: Set<Int>] = [:]

    mutating func add(_ parts: TouchedParts) {
      accounts.formUnion(parts.accounts)
      if let holder = parts.holder { customers[parts.environment, default: []].insert(holder) }
      if let chain = parts.chain { chains[parts.environment, default: []].insert(chain) }
      if let transaction = parts.transaction {
        transactions[parts.environment, default: []].insert(transaction)
      }
    }
  }
}

extension UnitGrants.Part {
  /// Evaluates a chain again for each customer who holds a purchase of it. Returns these.
  fileprivate mutating func update(
    _ chain: Int, in state: EnvironmentState, _ foldContext: FoldContext
  ) -> Set<Int> {
    var holders: Set<Int> = []
    for member in state.members(of: chain) where state.transactions[member].hasPurchase {
      guard let customer = state.transactions[member].holder.customer,
        holders.insert(customer).inserted
      else { continue }
      customers[customer, default: CustomerGrants()].update(
        chain: chain, order: member, in: state, from: state.customers[customer], foldContext)
    }
    return holders
  }
}

extension EnvironmentState {
  /// Calls `body` with what the queue last reported of each product of a transaction.
  fileprivate func eachReport(of transaction: Int, _ body: (ReportState) -> Void) {
    var next = transactions[transaction].firstReport
    while next != none {
      body(reports[next])
      next = reports[next].next
    }
  }

  func canChange(_ chain: Int, after moment: Int64, _ foldContext: FoldContext) -> Bool {
    !changes(of: chain, after: moment, foldContext).isEmpty
  }
}
