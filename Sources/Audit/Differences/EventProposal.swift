public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

extension LedgerView {
  /// What would change for customers if an operator's event were appended now: a grant, a
  /// withdrawal, a link or a transfer.
  ///
  /// The reducer computes both sides: it folds the events of the customers' units with and without
  /// the event. Answers are judged at `now`, at the event's time or at the customer's newest event,
  /// whichever is latest.
  ///
  /// - Parameters:
  ///   - event: A valid event of an operator.
  ///   - accounts: The accounts whose answers are compared.
  ///   - environments: The environments, each compared separately.
  ///   - now: The ledger's clock, which would become the event's `recordedAt`.
  /// - Returns: Each account for which something differs.
  /// - Complexity: O(*n* log *n*) in the events of the accounts' units.
  /// - Throws: ``LedgerError``.
  public func differences(
    appending event: Event, accounts: [Name], environments: [StoreEnvironment] = [.production],
    now: Instant
  ) throws(LedgerError) -> [CustomerDifference] {
    let proposed = try ProposedFact(event, now, self)
    var facts: [UInt64: Fact] = [:]
    for account in accounts {
      guard let number = proposed.number(of: account), let unit = try unitNumber(of: number) else {
        continue
      }
      for fact in try self.facts(of: unit) { facts[fact.position] = fact }
    }
    for fact in try contextFacts() { facts[fact.position] = fact }
    let known = facts.values.sorted { $0.position < $1.position }
    let before = InMemoryLedger(folding: known, texts: proposed.texts)
    let after = InMemoryLedger(folding: known + [proposed.fact], texts: proposed.texts)
    let moment = max(now.microseconds, event.occurredAt.microseconds)
    var found: [CustomerDifference] = []
    for account in accounts {
      guard let number = proposed.number(of: account) else { continue }
      for environment in environments {
        let sides = [before, after].map { ledger in
          ProposedSide(ledger, number, EnvironmentSet(environment), moment, proposed.texts)
        }
        let difference = CustomerDifference(
          account: account, environment: environment,
          answer: AnswerDifference(
            account, environment, entries: (sides[0].entries, sides[1].entries),
            balances: (sides[0].balances, sides[1].balances)),
          installed: CustomerDifference.Installed.changes(
            from: sides[0].installed, to: sides[1].installed))
        if difference.answer != nil || !difference.installed.isEmpty { found.append(difference) }
      }
    }
    try texts.check()
    return found
  }
}

/// What an account has with or without the event.
private struct ProposedSide {
  var entries: [EntitlementsAnswer.Entry] = []
  var balances: [Name: Int64] = [:]
  var installed: [CustomerDifference.Version] = []

  init(
    _ ledger: InMemoryLedger, _ account: NameNumber, _ environments: EnvironmentSet,
    _ moment: Int64, _ texts: any FactTexts
  ) {
    guard let unit = ledger.unit(of: account) else { return }
    let subject = Subject.account(account)
    let newest = unit.newestEvent(of: subject, environments: environments) ?? .min
    let answer = unit.answer(
      subject, environments: environments, at: max(moment, newest), context: ledger.context,
      texts: texts)
    entries = answer.entries.map { EntitlementsAnswer.Entry($0, texts: texts) }
    for balance in answer.balances { balances[balance.unit] = balance.amount }
    installed = unit.installed(subject, environments: environments).map { content in
      CustomerDifference.Version(
        device: content.device == 0 ? nil : texts.text(of: content.device),
        product: texts.text(of: content.product), version: content.version)
    }
  }
}
