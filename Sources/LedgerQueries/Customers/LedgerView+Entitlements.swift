public import LedgerEvents
internal import LedgerModel
public import LedgerStore

extension LedgerView {
  /// What a customer has.
  ///
  /// Without `clocks.at`, everything is folded and judged at `now`, or at the customer's newest
  /// event if that is later (`events.md`). So what was bought on a phone whose clock is three
  /// minutes fast is found immediately.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit in the worst case, also for the
  ///   past.
  /// - Throws: ``LedgerError``.
  public func entitlements(
    of customer: CustomerReference, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now, now: Instant
  ) throws(LedgerError) -> EntitlementsAnswer {
    let set = EnvironmentSet(environments)
    let end = try lastPosition(clocks)
    var moment = clocks.at?.microseconds ?? now.microseconds
    let inquiry = try inquire(customer, clocks, entitlementsAt: moment)
    var answer = Answer()
    if let found = inquiry {
      if clocks.at == nil,
        let newest = found.unit.newestEvent(of: found.subject, environments: set)
      {
        moment = max(moment, newest)
      }
      answer = found.unit.answer(
        found.subject, environments: set, at: moment, context: found.context, texts: texts)
      try texts.check()
    }
    var named: Name?
    if case .account(let name) = customer { named = name }
    return EntitlementsAnswer(
      account: named, isKnown: inquiry?.isKnown ?? false, at: Instant(microseconds: moment),
      position: end,
      environments: environments, entries: try entries(answer), active: answer.active,
      balances: answer.balances.map { .init(unit: $0.unit, amount: $0.amount) },
      nextChangeAt: answer.nextChangeAt.map(Instant.init(microseconds:)))
  }

  /// The entries of an answer, with names in place of numbers.
  func entries(_ answer: Answer) throws(LedgerError) -> [EntitlementsAnswer.Entry] {
    let entries = answer.entries.map { EntitlementsAnswer.Entry($0, texts: texts) }
    try texts.check()
    return entries
  }
}

/// A customer that was found, with the folded unit that answers.
struct Inquiry {
  let subject: Subject
  let named: NamedUnit

  var unit: Unit { named.unit }
  var context: SharedContext { named.context }
  /// Whether an event of the unit states the customer.
  var isKnown: Bool { unit.knows(subject) }
}

extension LedgerView {
  /// Finds a customer and folds the unit at the clocks; `nil` if no event up to then names the
  /// customer.
  ///
  /// - Parameter entitlementsAt: See ``unit(of:at:entitlementsAt:)``.
  func inquire(
    _ customer: CustomerReference, _ clocks: Clocks, entitlementsAt: Int64? = nil
  ) throws(LedgerError) -> Inquiry? {
    try unit(of: customer.use, at: clocks, entitlementsAt: entitlementsAt).map { named in
      Inquiry(subject: customer.subject(named.number), named: named)
    }
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
