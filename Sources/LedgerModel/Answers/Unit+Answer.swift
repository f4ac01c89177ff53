public import LedgerEvents

extension Unit {
  /// What a customer has at a moment, over a set of environments. It lists the best grantor of each
  /// product and all operators' grants, and adds up the balances.
  ///
  /// The moment must not be before the customer's newest event (`newestEvent`). For an earlier
  /// moment, fold only the facts up to it.
  ///
  /// - Complexity: O(*n*) in the unit's transactions.
  public func answer(
    _ subject: Subject, environments: EnvironmentSet = .production, at moment: Int64,
    context: SharedContext, texts: any FactTexts
  ) -> Answer {
    let foldContext = FoldContext(context: context, texts: texts)
    var answer = stillAnswer(subject, environments, at: moment, foldContext)
    for change in changes(subject, environments, after: moment, foldContext)
    where stillAnswer(subject, environments, at: change, foldContext) != answer {
      answer.nextChangeAt = change
      break
    }
    return answer
  }

  /// What a customer has installed.
  public func installed(
    _ subject: Subject, environments: EnvironmentSet = .production
  ) -> [InstalledContent] {
    var installed: [InstalledContent] = []
    for state in self.environments where environments.contains(state.environment) {
      guard case .customer(let customer)? = state.scope(of: subject) else { continue }
      for content in state.contents(of: customer) where content.isPresent {
        installed.append(
          InstalledContent(
            environment: state.environment, device: content.device, product: content.product,
            version: content.version, installedAt: content.installedAt,
            position: content.position))
      }
    }
    return installed
  }

  /// Believed `occurredAt` of the customer's newest event in these environments.
  public func newestEvent(
    of subject: Subject, environments: EnvironmentSet = .production
  ) -> Int64? {
    var newest: Int64?
    for state in self.environments where environments.contains(state.environment) {
      guard case .customer(let customer)? = state.scope(of: subject) else { continue }
      newest = max(newest ?? .min, state.customers[customer.index])
    }
    return newest
  }

  /// Whether an event of the unit states the account.
  public func knows(account: NameNumber) -> Bool {
    statedAccounts.lookUp(UInt64(account)) >= 0
  }

  /// `account`, and the account ids that now belong to the same customer in any of the
  /// environments.
  ///
  /// - Complexity: O(*n*) in the unit's accounts.
  public func linkedAccounts(
    of account: NameNumber, environments: EnvironmentSet = .production
  ) -> [NameNumber] {
    var linked = DistinctNumbers()
    linked.add(account)
    for state in self.environments where environments.contains(state.environment) {
      linked.add(accountsOf: state.knownCustomer(of: account), in: state)
    }
    return linked.list
  }

  /// The account ids of the customer that a subject now refers to, in any of the environments;
  /// empty if no known customer holds the transaction or the chain.
  ///
  /// - Complexity: O(*n*) in the unit's accounts.
  public func accounts(
    of subject: Subject, environments: EnvironmentSet = .production
  ) -> [NameNumber] {
    if case .account(let account) = subject {
      return linkedAccounts(of: account, environments: environments)
    }
    var found = DistinctNumbers()
    for state in self.environments where environments.contains(state.environment) {
      guard case .customer(let customer)? = state.scope(of: subject) else { continue }
      found.add(accountsOf: customer, in: state)
    }
    return found.list
  }

  /// Every account id that the unit knows, in the order of first mention.
  public var knownAccounts: [NameNumber] {
    var all = DistinctNumbers()
    for state in environments {
      for account in state.accounts { all.add(account.number) }
    }
    return all.list
  }

  /// Every account id that the unit knows or that one of its events states. Each has a stored
  /// answer.
  public var answeredAccounts: [NameNumber] {
    let known = knownAccounts
    let isKnown = Set(known)
    return known
      + statedAccounts.keys.map { NameNumber(truncatingIfNeeded: $0) }
      .filter { !isKnown.contains($0) }
  }
}

/// Distinct numbers, in the order in which they were added.
private struct DistinctNumbers {
  private(set) var list: [NameNumber] = []
  private var known: Set<NameNumber> = []

  mutating func add(_ number: NameNumber) {
    if known.insert(number).inserted { list.append(number) }
  }

  mutating func add(accountsOf customer: Holder, in state: EnvironmentState) {
    if customer == .nobody { return }
    for account in state.accounts(of: customer) { add(account) }
  }
}

extension Unit {
  /// The answer without the moment of its next change.
  private func stillAnswer(
    _ subject: Subject, _ environments: EnvironmentSet, at moment: Int64,
    _ foldContext: FoldContext
  ) -> Answer {
    var entries: [EntitlementEntry] = []
    var balances: [Balance] = []
    for state in self.environments where environments.contains(state.environment) {
      guard let scope = state.scope(of: subject) else { continue }
      for entry in state.entries(scope, at: moment, foldContext) {
        Self.keepBest(entry, in: &entries)
      }
      for balance in state.balances(scope, foldContext) {
        if let known = balances.firstIndex(where: { $0.unit == balance.unit }) {
          balances[known].amount = balances[known].amount.addingSaturated(balance.amount)
        } else {
          balances.append(balance)
        }
      }
    }
    let texts = foldContext.texts
    entries.sort { left, right in
      if (left.product == 0) != (right.product == 0) { return right.product == 0 }
      return Self.name(of: left, texts) < Self.name(of: right, texts)
    }
    return Answer(
      entries: entries, active: Self.active(entries, texts),
      balances: balances.filter { $0.amount != 0 }.sorted { $0.unit < $1.unit })
  }

  private static func name(of entry: EntitlementEntry, _ texts: any FactTexts) -> Name {
    entry.product != 0 ? texts.text(of: entry.product) : entry.entitlement ?? Name("")
  }

  /// Adds an entry, unless the product or the operator's entitlement already has a better grantor.
  private static func keepBest(
    _ entry: EntitlementEntry, in entries: inout [EntitlementEntry]
  ) {
    let same = entries.firstIndex {
      $0.product == entry.product && $0.entitlement == entry.entitlement
    }
    guard let same else {
      entries.append(entry)
      return
    }
    let other: EntitlementEntry
    if entry.rank < entries[same].rank {
      other = entries[same]
      entries[same] = entry
    } else {
      other = entry
    }
    // Another environment's catalogue may map the product to other entitlements. They count if the
    // product is active there, too.
    guard other.state.entitles else { return }
    for name in other.entitlements where !entries[same].entitlements.contains(name) {
      entries[same].entitlements.append(name)
    }
  }

  private static func active(_ entries: [EntitlementEntry], _ texts: any FactTexts) -> [Name] {
    var names: [Name] = []
    for entry in entries where entry.state.entitles {
      names.append(name(of: entry, texts))
      names += entry.entitlements
    }
    names.sort()
    var unique: [Name] = []
    for name in names where unique.last != name { unique.append(name) }
    return unique
  }

  private func changes(
    _ subject: Subject, _ environments: EnvironmentSet, after moment: Int64,
    _ foldContext: FoldContext
  ) -> [Int64] {
    var changes: Set<Int64> = []
    for state in self.environments where environments.contains(state.environment) {
      guard let scope = state.scope(of: subject) else { continue }
      changes.formUnion(state.changes(scope, after: moment, foldContext))
    }
    return changes.sorted()
  }
}
