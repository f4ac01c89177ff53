import LedgerEvents

extension EnvironmentState {
  /// The customer that an account id now belongs to. An id that is new or was erased starts afresh.
  mutating func customer(of account: NameNumber) -> Holder {
    var index = accountIndex.find(UInt64(account))
    if index < 0 {
      index = accountIndex.append(UInt64(account))
      accounts.append(AccountState(number: account, customer: .nobody))
    }
    if accounts[index].customer == .nobody {
      accounts[index].customer = Holder(customer: customers.count)
      customers.append(.min)
    }
    return accounts[index].customer
  }

  /// The customer of an account id, or `nobody` if it has none.
  func knownCustomer(of account: NameNumber) -> Holder {
    let index = accountIndex.lookUp(UInt64(account))
    return index < 0 ? .nobody : accounts[index].customer
  }

  /// Makes both ids one customer, who has everything that both held (`model.md` 2).
  mutating func link(_ fact: Fact) {
    let other = fact.detail?.fields.to ?? 0
    guard fact.account != 0, other != 0 else { return }
    let left = customer(of: fact.account)
    let right = customer(of: other)
    if left == right { return }
    for index in accounts.indices where accounts[index].customer == right {
      accounts[index].customer = left
    }
    move(from: right, to: left)
  }

  /// Moves what the customer holds now to another customer (`model.md` 3). A transfer within one
  /// customer moves nothing, but counts for `account-changed` like any other.
  mutating func transfer(_ fact: Fact) {
    let other = fact.detail?.fields.to ?? 0
    guard fact.account != 0, other != 0 else { return }
    let from = customer(of: fact.account)
    let target = customer(of: other)
    for index in transactions.indices
    where transactions[index].holder == from && transactions[index].isBegun
      && !transactions[index].movedTo.contains(other)
    {
      transactions[index].movedTo.append(other)
    }
    if from != target { move(from: from, to: target) }
  }

  /// Takes everything that the customer holds now from it, and lets its ids start afresh
  /// (`model.md` 4).
  mutating func erase(_ fact: Fact) {
    guard fact.account != 0 else { return }
    let erased = customer(of: fact.account)
    for index in accounts.indices where accounts[index].customer == erased {
      accounts[index].customer = .nobody
    }
    move(from: erased, to: .nobody)
  }

  private mutating func move(from: Holder, to: Holder) {
    for index in transactions.indices
    where transactions[index].holder == from && transactions[index].isBegun {
      transactions[index].holder = to
    }
    moveContents(from: from, to: to)
    moveGrants(from: from, to: to)
    for index in findConsumptions(of: from).reversed() {
      let spent = removeConsumption(at: index)
      if to != .nobody { addConsumption(holder: to, unit: spent.unit, amount: spent.amount) }
    }
    if to != .nobody { customers[to.index] = max(customers[to.index], customers[from.index]) }
    // What they say about `to` held until here.
    indexes.holdersChanged()
  }

  private mutating func moveGrants(from: Holder, to: Holder) {
    for index in findGrants(of: from).reversed() {
      var moved = removeGrant(at: index)
      guard to != .nobody else { continue }
      moved.holder = to
      addGrant(moved)
    }
  }

  /// Among several grants of one name, the latest end counts (`model.md` 11).
  private mutating func addGrant(_ grant: GrantState) {
    guard let same = findGrant(grant.entitlement, grant.product, of: grant.holder) else {
      indexes.grantsByHolder.add(grants.count, with: grant.holder)
      grants.append(grant)
      return
    }
    let since = min(grants[same].since, grant.since)
    if grant.until > grants[same].until { grants[same] = grant }
    grants[same].since = since
  }

  private mutating func findGrant(
    _ entitlement: Name?, _ product: NameNumber, of holder: Holder
  ) -> Int? {
    findGrants(of: holder).first {
      grants[$0].entitlement == entitlement && grants[$0].product == product
    }
  }

  /// The name that a grant or a withdrawal is about.
  private func grantName(_ fact: Fact) -> (entitlement: Name?, product: NameNumber)? {
    if let entitlement = fact.detail?.fields.entitlement { return (entitlement, 0) }
    return fact.product == 0 ? nil : (nil, fact.product)
  }

  mutating func grant(_ fact: Fact, _ step: Step) {
    guard step.holder != .nobody, let name = grantName(fact) else { return }
    let until = fact.detail?.fields.until ?? Fact.absentTime
    addGrant(
      GrantState(
        holder: step.holder, entitlement: name.entitlement, product: name.product,
        until: until == Fact.absentTime ? .max : until, since: fact.occurredAt))
  }

  mutating func withdraw(_ fact: Fact, _ step: Step) {
    guard step.holder != .nobody, let name = grantName(fact),
      let index = findGrant(name.entitlement, name.product, of: step.holder)
    else { return }
    _ = removeGrant(at: index)
  }

  /// Adds what the app spends from a balance (`model.md` 10).
  mutating func consume(_ fact: Fact, _ step: Step) {
    guard step.holder != .nobody, let detail = fact.detail, let unit = detail.fields.unit
    else { return }
    addConsumption(holder: step.holder, unit: unit, amount: detail.fields.amount)
  }

  private mutating func addConsumption(holder: Holder, unit: Name, amount: Int64) {
    let same = findConsumptions(of: holder).first { consumptions[$0].unit == unit }
    if let same {
      consumptions[same].amount = consumptions[same].amount.addingSaturated(amount)
    } else {
      indexes.consumptionsByHolder.add(consumptions.count, with: holder)
      consumptions.append(ConsumptionState(holder: holder, unit: unit, amount: amount))
    }
  }

  /// Looks for `account-changed` at an event of a transaction that states an account.
  mutating func judgeAccount(_ fact: Fact, _ step: Step) {
    if transactions[step.transaction].owner == fact.account || step.holder == .nobody { return }
    let transaction = transactions[step.transaction]
    if transaction.marks.contains(.accountChangedFound) { return }
    let stated = knownCustomer(of: fact.account)
    var allowed = [knownCustomer(of: transaction.owner)]
    allowed.append(contentsOf: transaction.movedTo.map(knownCustomer(of:)))
    if transaction.movedTo.contains(fact.account) { return }
    if AccountChanged.breaks(stated: stated, allowed: allowed) {
      transactions[step.transaction].marks.insert(.accountChangedFound)
      report(.accountChanged, fact, step)
    }
  }
}
