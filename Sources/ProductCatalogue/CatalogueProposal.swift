public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// The effect of a proposed catalogue, apart from the customers it changes.
public struct CatalogueEffect: Sendable {
  /// The number of units in which an account, or an unknown customer, has bought each product.
  public var buyers: [Name: Int] = [:]
  /// Customers whose answers were compared.
  public var compared = 0
  /// Customers whose answer would change.
  public var changed = 0

  public init() {}
}

extension LedgerView {
  /// Reports what would change in the ledger's answers if a `catalog.set` were appended now: every
  /// customer whose answer changes, in each environment that the event applies to. Stops when
  /// `body` returns false.
  ///
  /// The reducer computes the answers with and without the event in the catalogue. The entry that a
  /// chain was bought under is looked up only when a question is asked, and no stored state depends
  /// on it. Answers are judged at `now`, at the event's time or at the customer's newest event,
  /// whichever is latest.
  ///
  /// - Parameters:
  ///   - event: A valid `catalog.set`.
  ///   - now: The ledger's clock, which would become the event's `recordedAt`.
  ///   - body: Receives each customer whose answer changes; returns whether to continue.
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
    let unit = unit.indexedByHolder()
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

/// A `catalog.set` that is not in the ledger, as a fact after its end, with the shared context that
/// would result.
private struct CatalogueProposal {
  let context: SharedContext
  /// The products that it names and the ledger knows.
  let products: [NameNumber]
  /// The environments it applies to.
  let environments: EnvironmentSet
  /// The earliest moment at which answers are judged.
  let moment: Int64
  let texts: ProposedTexts

  init(_ event: Event, _ now: Instant, _ view: LedgerView) throws(LedgerError) {
    let proposed = try ProposedFact(event, now, view)
    let fact = proposed.fact
    texts = proposed.texts
    products = proposed.known.filter { $0.key.kind == .product }.map(\.value).sorted()
    var context = view.context
    context.add(fact, texts)
    self.context = context
    environments = fact.environment.map { EnvironmentSet($0) } ?? context.environments
    moment = max(now.microseconds, fact.occurredAt)
    try view.texts.check()
  }
}
