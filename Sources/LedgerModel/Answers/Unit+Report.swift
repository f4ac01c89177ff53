package import LedgerEvents

/// What the customers of a unit have in one environment besides entitlements, by account: what a
/// report says about them.
package struct ReportedHoldings {
  private var customers: [NameNumber: Int] = [:]
  private var balances: [Int: [Balance]] = [:]
  private var installed: [Int: [InstalledContent]] = [:]

  fileprivate init() {}

  /// Amounts other than 0, sorted by unit.
  package func balances(of account: NameNumber) -> [Balance] {
    let all = customers[account].flatMap { balances[$0] } ?? []
    return all.filter { $0.amount != 0 }.sorted { $0.unit < $1.unit }
  }

  package func installed(of account: NameNumber) -> [InstalledContent] {
    customers[account].flatMap { installed[$0] } ?? []
  }

  fileprivate mutating func add(_ account: NameNumber, of customer: Int) {
    customers[account] = customer
  }

  fileprivate mutating func add(_ amount: Int64, of unit: Name, to customer: Int) {
    let known = balances[customer]?.firstIndex { $0.unit == unit }
    if let known {
      let before = balances[customer]?[known].amount ?? 0
      balances[customer]?[known].amount = before.addingSaturated(amount)
    } else {
      balances[customer, default: []].append(Balance(unit: unit, amount: amount))
    }
  }

  fileprivate mutating func add(_ content: InstalledContent, of customer: Int) {
    installed[customer, default: []].append(content)
  }
}

extension Unit {
  /// The balances and the installed versions of all customers in one environment.
  ///
  /// - Complexity: O(*n*) in what the unit keeps.
  package func reportedHoldings(
    in environment: StoreEnvironment, context: SharedContext, texts: any FactTexts
  ) -> ReportedHoldings {
    var holdings = ReportedHoldings()
    guard let index = index(of: environment) else { return holdings }
    let foldContext = FoldContext(context: context, texts: texts)
    let state = environments[index]
    for account in state.accounts {
      if let customer = account.customer.customer { holdings.add(account.number, of: customer) }
    }
    for chain in state.chains.indices where state.chains[chain].firstPurchase != none {
      let first = state.transactions[state.chains[chain].firstPurchase]
      guard let customer = first.holder.customer else { continue }
      for credit in state.credits(of: chain, foldContext.shared) {
        holdings.add(credit.amount, of: credit.unit, to: customer)
      }
    }
    for spent in state.consumptions {
      guard let customer = spent.holder.customer else { continue }
      holdings.add(-spent.amount, of: spent.unit, to: customer)
    }
    for content in state.contents where content.isPresent {
      guard let customer = content.holder.customer else { continue }
      holdings.add(
        InstalledContent(
          environment: environment, device: content.device, product: content.product,
          version: content.version, installedAt: content.installedAt, position: content.position),
        of: customer)
    }
    return holdings
  }
}
