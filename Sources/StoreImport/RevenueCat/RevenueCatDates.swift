import LedgerEvents

extension RevenueCatGroup {
  /// Returns what a webhook says with the date by which it counts, given what else is known.
  func dated(
    _ event: Event, _ statement: RevenueCatStatement, _ known: KnownPurchases
  ) -> Event {
    guard !statement.isRow, known.recorded[event.id] == nil else { return event }
    switch event.type.kind {
    case .transactionRefunded: return afterReversal(event, known)
    case .subscriptionExpired: return afterFailure(event, statement.saidAt, known)
    default: return event
    }
  }

  /// A refund yields to the store's, unless RevenueCat said a reversal before it: then it is
  /// another refund.
  private func afterReversal(_ refund: Event, _ known: KnownPurchases) -> Event {
    let reversals = known.ends(of: refund.transaction, .transactionRefundReversed).filter {
      $0.occurredAt < refund.occurredAt
    }
    return reversals.map(\.signedAt).max().map { refund.signed(after: $0) } ?? refund
  }

  /// An end that the customer wanted is dated by the end of the period. If the store is known to
  /// have tried to bill it after that, it is the webhook's date.
  private func afterFailure(
    _ end: Event, _ saidAt: Instant, _ known: KnownPurchases
  ) -> Event {
    guard let expiresAt = end.data.instant("expiresAt"), end.occurredAt == expiresAt,
      let original = end.originalTransaction ?? end.transaction,
      KnownRenewals(states: known.renewals[original] ?? []).isInterrupted(
        after: expiresAt, of: end.transaction)
    else { return end }
    var end = end
    let last = expiresAt.microseconds + billingRetryMicrosecondsMax
    end.occurredAt = max(expiresAt, min(saidAt, Instant(microseconds: last)))
    return end
  }

  /// Returns a refund again that RevenueCat said after this reversal, and that was imported before
  /// it: with a date after the reversal. Nil if there is none.
  func refundedAgain(after reversal: Event, _ known: KnownPurchases) -> Event? {
    guard reversal.type.kind == .transactionRefundReversed else { return nil }
    let later = known.ends(of: reversal.transaction, .transactionRefunded).filter {
      $0.occurredAt > reversal.occurredAt
    }
    guard !later.contains(where: { $0.signedAt > reversal.signedAt }),
      let refund = later.min(by: { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) })
    else { return nil }
    var again = refund.signed(after: reversal.signedAt)
    let identifier = FactIdentifier(
      app: refund.app?.text ?? "", environment: environment.text,
      transaction: refund.transaction?.text ?? "", fact: "byRevenueCat-refundedAgain",
      moments: [again.signedAt], varying: [refund.id.text] + again.data.contents,
      key: options.digestKey)
    again.id = identifier.name
    return again
  }
}

extension KnownPurchases {
  /// The refunds or reversals of a transaction that webhooks of RevenueCat stated.
  fileprivate func ends(of transaction: Name?, _ kind: EventKind) -> [Event] {
    (transaction.flatMap { facts[$0] } ?? []).filter {
      $0.type.kind == kind && $0.isByRevenueCat && $0.source == EventSource(.notification)
    }
  }
}

extension Event {
  /// The date by which facts about one transaction are ordered.
  fileprivate var signedAt: Instant { data.instant("signedAt") ?? occurredAt }

  fileprivate func signed(after time: Instant) -> Event {
    var event = self
    var data = EventData.Builder()
    data.set("signedAt", Instant(microseconds: time.microseconds + 1))
    event.data.members.removeAll { $0.name == "signedAt" }
    event.data.members += data.build().members
    return event
  }
}
