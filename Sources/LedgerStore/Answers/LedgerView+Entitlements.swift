public import LedgerEvents
internal import LedgerModel

extension LedgerView {
  /// What a customer has.
  ///
  /// Without `clocks.at` everything is folded, and it is judged at `now`, or at the customer's
  /// newest event where that is later (`events.md`): what a phone three minutes fast has bought can
  /// be asked for at once.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit at the worst, also for the past.
  /// - Throws: ``LedgerError``.
  public func entitlements(
    of customer: CustomerReference, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now, now: Instant
  ) throws(LedgerError) -> EntitlementsAnswer {
    let set = EnvironmentSet(environments)
    let end = try lastPosition(clocks)
    let inquiry = try inquire(customer, clocks)
    var moment = clocks.at?.microseconds ?? now.microseconds
    var answer = Answer()
    if let subject = inquiry.subject, let unit = inquiry.unit {
      if clocks.at == nil, let newest = unit.newestEvent(of: subject, environments: set) {
        moment = max(moment, newest)
      }
      answer = unit.answer(
        subject, environments: set, at: moment, context: inquiry.context, texts: reader.texts)
      try reader.texts.check()
    }
    var entries: [EntitlementsAnswer.Entry] = []
    for entry in answer.entries { entries.append(try self.entry(entry)) }
    var named: Name?
    if case .account(let name) = customer { named = name }
    return EntitlementsAnswer(
      account: named, isKnown: inquiry.isKnown, at: Instant(microseconds: moment), position: end,
      environments: environments, entries: entries, active: answer.active,
      balances: answer.balances.map { .init(unit: $0.unit, amount: $0.amount) },
      nextChangeAt: answer.nextChangeAt.map(Instant.init(microseconds:)))
  }

  func entry(
    _ entry: EntitlementEntry
  ) throws(LedgerError) -> EntitlementsAnswer.Entry {
    var transactions: [Name] = []
    for number in entry.transactions { transactions.append(try text(of: number)) }
    return EntitlementsAnswer.Entry(
      product: try text(entry.product), entitlement: entry.entitlement,
      entitlements: entry.entitlements, state: entry.state,
      since: Instant(microseconds: entry.since),
      expiresAt: entry.expiresAt.map(Instant.init(microseconds:)),
      originalTransaction: try text(entry.original),
      transactions: transactions, isFamilyShared: entry.isFamilyShared, source: entry.source,
      environment: entry.environment)
  }

  /// The text of a name, nil for none.
  func text(_ number: NameNumber) throws(LedgerError) -> Name? {
    number == 0 ? nil : try text(of: number)
  }
}

/// A customer found: as whom, and the folded unit that answers.
struct Inquiry {
  var subject: Subject?
  var unit: Unit?
  var context: SharedContext
  var isKnown: Bool
}

extension LedgerView {
  /// Finds a customer and folds what the clocks ask for.
  func inquire(
    _ customer: CustomerReference, _ clocks: Clocks
  ) throws(LedgerError) -> Inquiry {
    let use = customer.use
    let nobody = Inquiry(
      subject: nil, unit: nil, context: reader.overlay.context, isKnown: false)
    guard let number = try number(of: use.kind, use.name),
      let place = try reader.overlay.unit(of: number, tables, projections)
    else { return nobody }
    let subject = customer.subject(number)
    guard cuts(clocks) else {
      guard let unit = try unit(of: number) else { return nobody }
      return Inquiry(
        subject: subject, unit: unit, context: reader.overlay.context,
        isKnown: unit.knows(subject))
    }
    let ledger = try inMemoryLedger(of: [place], clocks)
    guard let unit = ledger.unit(of: number) else {
      return Inquiry(subject: subject, unit: nil, context: ledger.context, isKnown: false)
    }
    return Inquiry(
      subject: subject, unit: unit, context: ledger.context, isKnown: unit.knows(subject))
  }
}

extension Unit {
  /// Whether an event of the unit states the account, or the transaction.
  func knows(_ subject: Subject) -> Bool {
    switch subject {
    case .account(let number): knows(account: number)
    case .transaction, .original: true
    }
  }
}

extension EnvironmentSet {
  init(_ environments: [StoreEnvironment]) {
    self = []
    for environment in environments { insert(environment) }
  }
}
