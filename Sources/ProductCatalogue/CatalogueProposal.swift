public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// What a proposed catalogue would come to, beside the customers that it changes.
public struct CatalogueEffect: Sendable {
  /// Units in which someone, or nobody known, has bought the product, by product.
  public var buyers: [Name: Int] = [:]
  /// Customers whose answers were compared.
  public var compared = 0
  /// Customers whose answer would be another.
  public var changed = 0

  public init() {}
}

extension LedgerView {
  /// What the ledger would answer otherwise if a `catalog.set` were appended now: each customer
  /// whose answer it changes, in each environment that it counts in; stops where `body` returns
  /// false.
  ///
  /// The answers are the reducer's, given the catalogue with the event and without it: what a chain
  /// was bought as is looked up when it is asked, and no state rests on it. Answers are judged at
  /// `now`, or where that is later at the event's time or at the customer's newest event.
  ///
  /// - Parameters:
  ///   - event: A valid `catalog.set`.
  ///   - now: The ledger's clock: the event would be recorded then.
  ///   - body: Given each customer whose answer changes; returns whether to go on.
  /// - Complexity: O(*n*) in the ledger's units, one at a time.
  /// - Throws: ``LedgerError``, and what `body` throws.
  @discardableResult
  public func differences(
    proposing event: Event, now: Instant,
    _ body: (AnswerDifference) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> CatalogueEffect {
    let proposal = try CatalogueProposal(event, now, self)
    var effect = CatalogueEffect()
    for use in event.nameUses where use.kind == .product { effect.buyers[use.name] = 0 }
    var walk = try units()
    while let unit = try walk.next() {
      guard proposal.products.contains(where: unit.concernsAnswer) else { continue }
      for product in proposal.products
      where unit.hasPurchase(of: product, in: proposal.environments) {
        effect.buyers[proposal.texts.text(of: product), default: 0] += 1
      }
      guard try compare(unit, proposal, &effect, body) else { break }
    }
    try texts.check()
    return effect
  }

  private func compare(
    _ unit: Unit, _ proposal: CatalogueProposal, _ effect: inout CatalogueEffect,
    _ body: (AnswerDifference) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    for environment in proposal.environments.members {
      var seen: Set<NameNumber> = []
      let set = EnvironmentSet(environment)
      for account in unit.knownAccounts where !seen.contains(account) {
        seen.formUnion(unit.linkedAccounts(of: account, environments: set))
        effect.compared += 1
        let subject = Subject.account(account)
        let newest = unit.newestEvent(of: subject, environments: set) ?? .min
        let moment = max(proposal.moment, newest)
        let difference = try difference(
          unit.answer(
            subject, environments: set, at: moment, context: context,
            texts: texts),
          unit.answer(
            subject, environments: set, at: moment, context: proposal.context, texts: proposal.texts
          ),
          of: account, environment)
        guard let difference else { continue }
        effect.changed += 1
        if try !body(difference) { return false }
      }
    }
    return true
  }
}

/// A `catalog.set` that is not in the ledger: as a fact behind its end, with what the shared
/// context would be.
private struct CatalogueProposal {
  let context: SharedContext
  /// The products that it names and that the ledger knows.
  let products: [NameNumber]
  /// Where it counts.
  let environments: EnvironmentSet
  /// When answers are judged at the earliest.
  let moment: Int64
  let texts: ProposedTexts

  init(_ event: Event, _ now: Instant, _ view: LedgerView) throws(LedgerError) {
    let proposed = try ProposedFact(event, now, view)
    let fact = proposed.fact
    texts = proposed.texts
    products = proposed.known.filter { $0.key.kind == .product }.map(\.value).sorted()
    var context = view.context
    var change = ContextChange()
    context.extend(with: fact, texts, &change)
    self.context = context
    environments = fact.environment.map { EnvironmentSet($0) } ?? context.environments
    moment = max(now.microseconds, fact.occurredAt)
    try view.texts.check()
  }
}
