internal import LedgerEvents
internal import LedgerModel
internal import LedgerStore

extension LedgerView {
  /// The findings about a customer in the asked environments, before the query filters them.
  ///
  /// - Parameter products: Of the findings that depend on what other customers have observed, only
  ///   those about these products are needed; `nil` for all.
  /// - Complexity: O(*n*) in the customer's unit, and in the units that observed products whose
  ///   content the customer has installed by version or digest. If the clocks ask about the past,
  ///   these are folded, and the headers of all events up to then are read if no moment is given.
  ///   Otherwise a walk over the headers of all units.
  func findings(
    of customer: CustomerReference, _ query: FindingsQuery, about products: Set<NameNumber>?
  ) throws(LedgerError) -> [Finding] {
    guard let fold = try customerFold(of: customer, query) else { return [] }
    var collection = LedgerFindings(texts: texts, thresholds: query.thresholds)
    collection.products = products
    collection.moments = fold.moments
    try collection.add(fold.unit, fold.context) { (product) throws(LedgerError) in
      try observed(product, query.clocks, fold.context)
    }
    collection.addAbsentDevice(fold.context)
    try texts.check()
    return try findings(collection.sorted, fold, query.clocks)
  }

  /// A customer's unit at the clocks of a query.
  private struct CustomerFold {
    var subject: Subject
    var unit: Unit
    var context: SharedContext
    var moments: [(environment: StoreEnvironment, moment: Int64)]
  }

  /// Folds the customer's unit; `nil` if no event up to then names the customer.
  private func customerFold(
    of customer: CustomerReference, _ query: FindingsQuery
  ) throws(LedgerError) -> CustomerFold? {
    let clocks = query.clocks
    guard let found = try inquire(customer, clocks) else { return nil }
    var fold = CustomerFold(
      subject: found.subject, unit: found.unit, context: found.context, moments: [])
    if clocks.reachAll {
      fold.moments = query.moments(newest: try newestEvents())
      return fold
    }
    let context = try context(at: clocks, in: EnvironmentSet(StoreEnvironment.allCases))
    if context.environments != fold.context.environments {
      fold.unit = try unit(numbered: found.named.unitNumber, at: clocks, context)
      fold.context = context
    }
    var newest: [StoreEnvironment: Int64] = [:]
    if clocks.at == nil {
      newest = try newestEvents(
        in: context.environments.intersection(EnvironmentSet(query.asked)),
        through: try lastPosition(clocks))
    }
    fold.moments = query.moments(newest: newest)
    return fold
  }

  /// The findings about a customer: those about transactions that it holds, whoever owned them
  /// first, and those at its own events. A finding states the first owner of its transaction, who
  /// may have been erased since, or may have transferred it.
  ///
  /// - Complexity: O(*n*) in the unit's accounts and transactions; if a finding states one of the
  ///   customer's accounts and no transaction that it holds, O(*n* log *n*) in the unit's facts,
  ///   once for all accounts that are linked wherever they are known.
  private func findings(
    _ found: [Finding], _ customer: CustomerFold, _ clocks: Clocks
  ) throws(LedgerError) -> [Finding] {
    let (unit, subject) = (customer.unit, customer.subject)
    var accounts: [StoreEnvironment: [NameNumber]] = [:]
    // If nobody known holds the subject, the transactions of its chain.
    var transactions: [StoreEnvironment: Set<NameNumber>] = [:]
    for environment in StoreEnvironment.allCases {
      let set = EnvironmentSet(environment)
      accounts[environment] = unit.accounts(of: subject, environments: set)
      transactions[environment] = Set(
        unit.standings(of: subject, environments: set).map(\.number))
    }
    func isOfHeldTransaction(_ finding: Finding) -> Bool {
      transactions[finding.environment]?.contains(finding.transaction) ?? false
    }
    func statesOwnAccount(_ finding: Finding) -> Bool {
      accounts[finding.environment]?.contains(finding.account) ?? false
    }
    let wanted = Set(
      found.lazy.filter { !isOfHeldTransaction($0) && statesOwnAccount($0) }.map(\.position))
    var events: [NameNumber: Set<UInt64>] = [:]
    var admitted: [Finding] = []
    for finding in found {
      if isOfHeldTransaction(finding) {
        admitted.append(finding)
        continue
      }
      guard statesOwnAccount(finding) else { continue }
      let account = finding.account
      if events[account] == nil {
        let own = try positions(ofCustomer: account, at: clocks, wanted: wanted)
        for other in unit.accountsLinkedEverywhere(to: account) { events[other] = own }
      }
      if events[account]?.contains(finding.position) ?? false { admitted.append(finding) }
    }
    return admitted
  }

  /// What all units observed of a product at the clocks.
  ///
  /// - Complexity: as ``observed(_:)`` without clocks. Of the past, O(*n* log *n*) in the events of
  ///   all units that observed it, one unit at a time.
  private func observed(
    _ product: Unit.ObservedProduct, _ clocks: Clocks, _ context: SharedContext
  ) throws(LedgerError) -> ProductObservations {
    if clocks.reachAll { return try observed(product) }
    var all = ProductObservations()
    for unit in try pastObservers(of: [product])[product] ?? [] {
      let state = try self.unit(numbered: unit, at: clocks, context)
      state.addObservations(of: product, to: &all, texts: texts)
    }
    try texts.check()
    return all
  }
}

extension Unit {
  /// `account`, and the accounts that belong to the same customer in each environment in which it
  /// is known, and are known in no other. All of these have the same events.
  ///
  /// - Complexity: O(*n*) in the unit's accounts.
  fileprivate func accountsLinkedEverywhere(to account: NameNumber) -> [NameNumber] {
    // The environments that know the account, and its links there.
    let environments = StoreEnvironment.allCases.map { environment in
      let only = EnvironmentSet(environment)
      let isKnown = newestEvent(of: .account(account), environments: only) != nil
      return (only, isKnown ? Set(linkedAccounts(of: account, environments: only)) : nil)
    }
    let everywhere = EnvironmentSet(StoreEnvironment.allCases)
    return linkedAccounts(of: account, environments: everywhere).filter { other in
      environments.allSatisfy { (only, linked) in
        linked?.contains(other) ?? (newestEvent(of: .account(other), environments: only) == nil)
      }
    }
  }
}
