package import LedgerEvents
package import LedgerModel

/// The subject of a lookup: a product, or an entitlement that products or operators grant.
package struct ItemReference: Hashable, Sendable {
  package let name: Name
  /// An entitlement and a product with the same name are two items.
  package let isEntitlement: Bool

  package init(_ name: Name, isEntitlement: Bool) {
    self.name = name
    self.isEntitlement = isEntitlement
  }
}

/// A customer's standing with an item, as given by the best of the item's grantors.
package struct ItemStanding: Hashable, Sendable {
  package var state: EntitlementState
  /// When the state begins, in microseconds.
  package var since: Int64
  /// When it ends, in microseconds; `.max` if it has no end.
  package var end: Int64
  package var source: EntitlementEntry.Source
  package var environment: StoreEnvironment

  package init(
    state: EntitlementState, since: Int64, end: Int64, source: EntitlementEntry.Source,
    environment: StoreEnvironment
  ) {
    (self.state, self.since, self.end) = (state, since, end)
    (self.source, self.environment) = (source, environment)
  }

  var rank: GrantorRank { GrantorRank(state: state, end: end) }
}

/// A lookup's question: one item of one account.
package struct ItemQuestion: Sendable {
  package var account: Name
  package var item: ItemReference
  package var environments: EnvironmentSet
  /// The requested store time; `nil` for everything that the ledger knows, judged at `now`.
  package var at: Instant?
  package var now: Instant

  package init(
    account: Name, item: ItemReference, environments: EnvironmentSet, at: Instant?, now: Instant
  ) {
    self.account = account
    self.item = item
    self.environments = environments
    self.at = at
    self.now = now
  }
}

/// A lookup's answer.
package struct ItemAnswer: Hashable, Sendable {
  /// Whether any event states the account.
  package var isStated: Bool
  /// `nil` if the customer never had the item.
  package var standing: ItemStanding?
  /// When the standing changes next by time alone.
  package var nextChange: Int64?
  /// The position at which the answer is true.
  package var position: UInt64
}

extension ItemAnswer {
  /// The answer about an unknown account.
  static func unknown(at position: UInt64) -> ItemAnswer {
    ItemAnswer(isStated: false, standing: nil, nextChange: nil, position: position)
  }

  /// Creates the answer from a row. The log must contain nothing newer about its unit.
  init(
    _ row: borrowing StoredAnswer, _ question: ItemQuestion, position: UInt64
  ) throws(LedgerError) {
    var moment = question.at?.microseconds ?? question.now.microseconds
    if question.at == nil, let newest = try row.newestEvent(in: question.environments) {
      moment = max(moment, newest)
    }
    let (standing, next) = try row.standing(
      of: question.item, in: question.environments, at: moment)
    self.init(isStated: row.isStated, standing: standing, nextChange: next, position: position)
  }
}

extension LedgerView {
  /// Answers a lookup's question the long way: from the unit, and for the past from its events.
  ///
  /// - Complexity: O(*n*) in the events of the customer's unit in the worst case.
  func itemAnswer(_ question: ItemQuestion) throws(LedgerError) -> ItemAnswer {
    let account = NameUse(kind: .account, name: question.account)
    let found = try unit(
      of: account, at: Clocks(at: question.at), entitlementsAt: question.at?.microseconds)
    guard let found else { return .unknown(at: position) }
    var grants = UnitGrants(of: found.unit, context: found.context, texts: texts)
    let row = AnswerRow(
      found.number, of: found.unit, called: 0, isDivided: false, &grants, found.context, texts)
    try texts.check()
    return try ItemAnswer(StoredAnswer(row.encoded.span), question, position: position)
  }
}
