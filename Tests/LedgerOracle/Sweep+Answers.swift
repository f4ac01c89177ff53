import LedgerEvents

extension Sweep {
  /// Returns the answers about all account ids, judged at a moment.
  func accounts(at moment: Int64) -> [Name: Oracle.Account] {
    var named: Set<Name> = []
    for seen in world.events {
      if let account = seen.event.account { named.insert(account) }
      if seen.kind == .accountLinked || seen.kind == .accountTransferred, let to = seen.name("to") {
        named.insert(to)
      }
    }
    var byCustomer: [Int: Oracle.Account] = [:]
    var found: [Name: Oracle.Account] = [:]
    for account in named {
      let customer = holdings.customer(account)
      let answer = byCustomer[customer] ?? self.answer(for: account, at: moment)
      byCustomer[customer] = answer
      found[account] = answer
    }
    return found
  }

  private func answer(for account: Name, at moment: Int64) -> Oracle.Account {
    let accounts = holdings.accounts(account)
    let held = accounts.flatMap { holdings.transactions[$0] ?? [] }
    var chains: [Chain] = []
    var seenChains: Set<TransactionKey> = []
    for transaction in held where !transaction.purchaseFacts.isEmpty {
      if seenChains.insert(transaction.chain.key).inserted { chains.append(transaction.chain) }
    }
    var states: [Name: State] = [:]
    func consider(_ product: Name, _ state: State) {
      states[product] = min(states[product] ?? state, state)
    }
    for chain in chains {
      if let answer = world.answer(of: chain, at: moment) { consider(answer.product, answer.state) }
    }
    for product in pending(held) { consider(product, .pending) }
    var active: Set<Name> = []
    for grant in accounts.flatMap({ holdings.grants[$0] ?? [] }) where grant.until > moment {
      switch grant.subject {
      case .entitlement(let name): active.insert(name)
      case .product(let product): consider(product, .active)
      }
    }
    for (product, state) in states where state == .active || state == .gracePeriod {
      active.insert(product)
      active.formUnion(world.catalogue.entry(of: product, at: moment)?.entitlements ?? [])
    }
    var answer = Oracle.Account()
    answer.states = states.mapValues(\.text)
    answer.active = active.sorted()
    for (deviceProduct, content) in holdings.content(of: account) {
      answer.installed[deviceProduct.device, default: [:]][deviceProduct.product] = content.version
    }
    answer.balances = balances(accounts, held)
    return answer
  }

  /// Returns the products whose newest report over all transactions of a customer is `deferred`.
  private func pending(_ held: [Transaction]) -> [Name] {
    var newest: [Name: Seen] = [:]
    for seen in held.flatMap(\.events) where seen.isQueueFact {
      switch seen.kind {
      case .transactionPurchasing, .transactionDeferred, .transactionPurchased,
        .transactionRestored, .transactionFailed:
        guard let product = world.product(of: seen) else { continue }
        if let known = newest[product], known.index > seen.index { continue }
        newest[product] = seen
      default: continue
      }
    }
    return newest.filter { $0.value.kind == .transactionDeferred }.map(\.key)
  }

  private func balances(_ accounts: [Name], _ held: [Transaction]) -> [Name: Int64] {
    var balances: [Name: Int64] = [:]
    for transaction in held {
      guard let first = transaction.chain.firstPurchaseFact, first.transaction === transaction,
        let product = world.product(of: first),
        let entry = world.catalogue.entry(of: product, usedBy: first), entry.kind == "consumable"
      else { continue }
      let quantity = first.value("quantity")?.integer ?? 1
      let verdict = world.verdict(on: transaction.chain)
      for (unit, amount) in entry.grants {
        let credited = amount * quantity
        var back: Int64 = 0
        if let verdict, world.taken(verdict) != nil {
          back = share(verdict.value("percent"), of: credited)
        }
        balances[unit, default: 0] += credited - back
      }
    }
    for (unit, amount) in accounts.flatMap({ holdings.spent[$0] ?? [] }) {
      balances[unit, default: 0] -= amount
    }
    return balances.filter { $0.value != 0 }
  }

  /// Returns a percentage of an amount, rounded half up. It is exact for every decimal number.
  private func share(_ percent: JSONText?, of amount: Int64) -> Int64 {
    guard case .number(let text)? = percent else { return amount }
    let parts = text.lowercased().split(separator: "e").map(String.init)
    let decimals = parts[0].split(separator: ".").map(String.init)
    let fraction = decimals.count > 1 ? decimals[1] : ""
    var fractionDigits = fraction.count - (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    var digits = Int128(decimals[0] + fraction) ?? 100
    while fractionDigits < 0 {
      digits *= 10
      fractionDigits += 1
    }
    let whole = (0..<fractionDigits).reduce(Int128(100)) { product, _ in product * 10 }
    let twice = 2 * Int128(amount) * digits + whole
    let rounded = twice / (2 * whole)
    return Int64(twice < 0 && rounded * 2 * whole != twice ? rounded - 1 : rounded)
  }
}
