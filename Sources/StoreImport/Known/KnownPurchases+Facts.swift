public import LedgerEvents

extension KnownPurchases {
  /// The kinds of events about one transaction that files of the store state.
  public static let factKinds: Set<EventKind> = [
    .transactionPurchased, .subscriptionRenewed, .subscriptionOfferRedeemed, .transactionRefunded,
    .transactionRevoked, .transactionRefundReversed,
  ]

  static let purchaseKinds: Set<EventKind> = [.transactionPurchased, .subscriptionRenewed]

  /// Whether the ledger knows nothing of what facts depend on.
  var isEmpty: Bool {
    transactions.isEmpty && renewals.allSatisfy(\.value.isEmpty) && upgraded.isEmpty
      && facts.isEmpty && recorded.isEmpty
  }

  /// Returns whether the ledger has a fact under another id already, with everything that this
  /// statement of it says: a receipt does not state prices, and a notification has its own id.
  ///
  /// - Complexity: O(*n*) in the known facts about the transaction.
  func states(_ fact: Event, _ evidence: StoreEvidence) -> Bool {
    guard let transaction = fact.transaction, let known = facts[transaction] else { return false }
    var isStated = false
    for other in known where !other.isByRevenueCat {
      // The same file again gives the same events.
      if other.id == fact.id { return false }
      if evidence.isCovered(by: other), Self.says(other, fact) { isStated = true }
    }
    return isStated
  }

  private static func says(_ known: Event, _ fact: Event) -> Bool {
    let isSameKind =
      known.type == fact.type
      || purchaseKinds.contains(known.type.kind) && purchaseKinds.contains(fact.type.kind)
    return isSameKind && known.occurredAt == fact.occurredAt && known.product == fact.product
      && known.originalTransaction == fact.originalTransaction && known.app == fact.app
      && known.environment == fact.environment
      && fact.data.members.allSatisfy {
        $0.name == Event.verified || known.data[$0.name] == $0.json
      }
      && known.data["isUpgraded"] == fact.data["isUpgraded"]
  }

  /// Adds a fact that the same file states before others.
  mutating func add(_ event: Event, saidAt: Instant) {
    recorded[event.id] = event
    if let transaction = event.transaction, Self.factKinds.contains(event.type.kind) {
      facts[transaction, default: []].append(event)
      if event.data.boolean("isUpgraded") == true { upgraded.insert(transaction) }
    }
    guard event.type.text.hasPrefix("subscription."),
      let original = event.originalTransaction ?? event.transaction
    else { return }
    renewals[original, default: []].append(RenewalState(event: event, saidAt: saidAt))
  }
}
