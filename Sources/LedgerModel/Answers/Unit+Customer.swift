public import LedgerEvents

extension Unit {
  /// Account ids that facts state or name as the other of a link or transfer, by their numbers.
  public var knownAccounts: [NameNumber] {
    var all = Set(statedAccounts.keys.map { NameNumber($0) })
    for state in environments { all.formUnion(state.accounts.map(\.number)) }
    return all.sorted()
  }

  /// The environment that a fact of the unit is folded in; `nil` for every one.
  public func environment(of fact: Fact) -> StoreEnvironment? {
    var identity = identity
    return identity.resolve(fact).environment
  }

  /// The positions of the facts that are the customer's whom an account means now: those that spoke
  /// for the customer at their time, and the whole history of what the customer holds now.
  ///
  /// After a transfer, what a former holder's transactions did before stays among that holder's.
  ///
  /// - Complexity: O(*n* log *n*) in the number of facts.
  public static func positions(
    ofCustomer account: NameNumber, among facts: [Fact], context: SharedContext,
    texts: any FactTexts
  ) -> Set<UInt64> {
    let sorted = inFoldOrder(facts, texts)
    var unit = Unit()
    unit.identity = Identity(settling: sorted)
    let resolutions = unit.prepare(sorted, context)
    let surroundings = Surroundings(context: context, texts: texts)
    var speakers: [StoreEnvironment: Speakers] = [:]
    for place in sorted.indices {
      let fact = sorted[place]
      for state in unit.environments {
        speakers[state.environment, default: Speakers()].prepare(fact, state)
      }
      unit.step(fact, resolutions[place], surroundings)
      for state in unit.environments {
        if let only = resolutions[place].environment, only != state.environment { continue }
        speakers[state.environment, default: Speakers()]
          .note(fact, root: resolutions[place].root, state)
      }
    }
    var positions: Set<UInt64> = []
    for state in unit.environments {
      let customer = state.knownCustomer(of: account)
      positions.formUnion(
        speakers[state.environment]?.positions(of: customer, account: account) ?? [])
      for place in sorted.indices where resolutions[place].root != 0 {
        if let only = resolutions[place].environment, only != state.environment { continue }
        let transaction = state.transactionIndex.lookUp(UInt64(resolutions[place].root))
        guard transaction >= 0, customer != nobody,
          state.transactions[transaction].holder == customer
        else { continue }
        positions.insert(sorted[place].position)
      }
    }
    return positions
  }
}

/// For whom the facts of one environment spoke, each at its time.
private struct Speakers {
  private var holders: [(position: UInt64, account: NameNumber, customer: Int)] = []
  /// Customers that a link made one with another.
  private var aliases: [Int: Int] = [:]
  private var before: (left: Int, right: Int) = (nobody, nobody)

  /// Looks at who is who before a fact changes it.
  mutating func prepare(_ fact: Fact, _ state: EnvironmentState) {
    let other = fact.detail?.fields.to ?? 0
    guard other != 0 else { return }
    before = (state.knownCustomer(of: fact.account), state.knownCustomer(of: other))
  }

  mutating func note(_ fact: Fact, root: NameNumber, _ state: EnvironmentState) {
    var customer = state.knownCustomer(of: fact.account)
    if root != 0 {
      let transaction = state.transactionIndex.lookUp(UInt64(root))
      if transaction >= 0 { customer = state.transactions[transaction].holder }
    }
    holders.append((fact.position, fact.account, customer))
    guard let other = fact.detail?.fields.to, other != 0 else { return }
    let now = state.knownCustomer(of: other)
    holders.append((fact.position, other, now))
    guard fact.kind == .accountLinked else { return }
    for former in [before.left, before.right] where former != nobody && former != now {
      aliases[former] = now
    }
  }

  /// An erased account has no customer any more: then what states it is all there is to show.
  func positions(of customer: Int, account: NameNumber) -> [UInt64] {
    holders.filter {
      customer == nobody ? $0.account == account : resolve($0.customer) == customer
    }.map(\.position)
  }

  private func resolve(_ customer: Int) -> Int {
    var customer = customer
    while let next = aliases[customer] { customer = next }
    return customer
  }
}
