import LedgerEvents

/// Whose grantors an answer considers: a customer's, or those of one chain that nobody holds.
enum Scope {
  case customer(Holder)
  case chain(Int)
}

extension EnvironmentState {
  /// The customer or chain that a subject refers to in this environment; `nil` if there is none.
  func scope(of subject: Subject) -> Scope? {
    switch subject {
    case .account(let account):
      let customer = knownCustomer(of: account)
      return customer == .nobody ? nil : .customer(customer)
    case .transaction(let number):
      let index = transactionIndex.lookUp(UInt64(number))
      guard index >= 0, transactions[index].isBegun else { return nil }
      let transaction = transactions[index]
      return transaction.holder == .nobody
        ? .chain(transaction.chain) : .customer(transaction.holder)
    case .original(let number):
      let index = chainIndex.lookUp(UInt64(number))
      guard index >= 0, chains[index].firstTransaction != none else { return nil }
      let holder = transactions[chains[index].firstTransaction].holder
      return holder == .nobody ? .chain(index) : .customer(holder)
    }
  }

  func holds(_ scope: Scope, _ index: Int) -> Bool {
    switch scope {
    case .customer(let customer): transactions[index].holder == customer
    case .chain(let chain): transactions[index].chain == chain
    }
  }

  /// The indices of the chains that grant within a scope.
  private func grantors(_ scope: Scope) -> [Int] {
    if case .chain(let chain) = scope { return [chain] }
    var found: [Int] = []
    var known: Set<Int> = []
    for index in transactions(of: scope)
    where transactions[index].hasPurchase && known.insert(transactions[index].chain).inserted {
      found.append(transactions[index].chain)
    }
    return found
  }

  /// One entry for each grantor, whether or not it is the best.
  func entries(
    _ scope: Scope, at moment: Int64, _ foldContext: FoldContext
  ) -> [EntitlementEntry] {
    var entries: [EntitlementEntry] = []
    for chain in grantors(scope) {
      guard let standing = standing(of: chain, at: moment, foldContext) else { continue }
      let held = members(of: chain).filter { transactions[$0].hasPurchase && holds(scope, $0) }
      var entry = entry(standing, foldContext)
      entry.original = chains[chain].original
      entry.transactions = held.map { transactions[$0].number }
      entry.isFamilyShared = held.allSatisfy { transactions[$0].purchase.isFamilyShared }
      entries.append(entry)
    }
    entries.append(contentsOf: pending(scope))
    if case .customer(let customer) = scope {
      for grant in grants(of: customer) where grant.until > moment {
        let standing = Standing(
          state: .active, product: grant.product, since: grant.since, end: grant.until)
        var entry = entry(standing, foldContext)
        entry.entitlement = grant.entitlement
        entry.source = .operator
        entries.append(entry)
      }
    }
    for index in entries.indices where entries[index].product != 0 {
      entries[index].entitlements =
        foldContext.shared.catalogue.definitionInForce(
          of: entries[index].product, in: environment, at: moment)?.entitlements ?? []
    }
    return entries
  }

  private func entry(_ standing: Standing, _ foldContext: FoldContext) -> EntitlementEntry {
    EntitlementEntry(
      product: standing.product, entitlement: nil, entitlements: [], state: standing.state,
      since: standing.since, expiresAt: standing.end == .max ? nil : standing.end, original: 0,
      transactions: [], isFamilyShared: nil, source: .store, environment: environment)
  }

  /// Products whose newest queue fact, across all transactions of the scope, is `deferred`.
  private func pending(_ scope: Scope) -> [EntitlementEntry] {
    var newest: [(report: ReportState, transaction: Int)] = []
    for index in transactions(of: scope) where transactions[index].isBegun {
      var next = transactions[index].firstReport
      while next != none {
        let report = reports[next]
        next = report.next
        if let known = newest.firstIndex(where: { $0.report.product == report.product }) {
          if newest[known].report.ordinal < report.ordinal { newest[known] = (report, index) }
        } else {
          newest.append((report, index))
        }
      }
    }
    return newest.filter(\.report.isDeferred).map { report, transaction in
      EntitlementEntry(
        product: report.product, entitlement: nil, entitlements: [], state: .pending,
        since: report.time, expiresAt: nil, original: transactions[transaction].original,
        transactions: [transactions[transaction].number], isFamilyShared: false, source: .store,
        environment: environment)
    }
  }

  /// What a customer's consumables credit, minus what was consumed, by unit.
  func balances(_ scope: Scope, _ foldContext: FoldContext) -> [Balance] {
    var balances: [Balance] = []
    func add(_ unit: Name, _ amount: Int64) {
      if let known = balances.firstIndex(where: { $0.unit == unit }) {
        balances[known].amount = balances[known].amount.addingSaturated(amount)
      } else {
        balances.append(Balance(unit: unit, amount: amount))
      }
    }
    for index in transactions(of: scope) {
      let chain = transactions[index].chain
      guard chain != none, chains[chain].firstPurchase == index else { continue }
      for credit in credits(of: chain, foldContext.shared) { add(credit.unit, credit.amount) }
    }
    if case .customer(let customer) = scope {
      // Amounts are not negative, so this does not overflow.
      for spent in consumptions(of: customer) { add(spent.unit, -spent.amount) }
    }
    return balances
  }

  /// The moments after `moment` at which the entries can change without a new event.
  func changes(_ scope: Scope, after moment: Int64, _ foldContext: FoldContext) -> [Int64] {
    var changes: [Int64] = []
    var products: [NameNumber] = []
    for chain in grantors(scope) where chains[chain].firstPurchase != none {
      products.append(chains[chain].firstProduct)
      changes += self.changes(of: chain, after: moment, foldContext)
      if kind(of: chains[chain], foldContext.shared) == .autoRenewable {
        products += members(of: chain).map { transactions[$0].purchase.product }
      }
    }
    products += pending(scope).map(\.product)
    if case .customer(let customer) = scope {
      for grant in grants(of: customer) {
        changes.append(grant.until)
        products.append(grant.product)
      }
    }
    for product in Set(products) {
      changes += foldContext.shared.catalogue.changes(of: product, after: moment)
    }
    return changes.filter { $0 > moment && $0 != .max }
  }
}
