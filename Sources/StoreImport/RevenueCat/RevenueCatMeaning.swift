package import LedgerEvents

/// What a type of RevenueCat's webhooks becomes.
///
/// Source: https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
package struct RevenueCatMeaning: Sendable {
  package let type: String
  /// `cancel_reason` or `expiration_reason`, if the type means different things by it.
  package let reason: String?
  /// The webhook's events.
  package let kinds: [EventKind]

  private init(_ type: String, _ reason: String? = nil, _ kinds: EventKind...) {
    self.type = type
    self.reason = reason
    self.kinds = kinds
  }

  /// Returns the meaning of a webhook; nil if its type is unknown.
  static func of(type: String, reason: String?) -> RevenueCatMeaning? {
    let rows = all.filter { $0.type == type }
    return rows.first { $0.reason != nil && $0.reason == reason } ?? rows.first { $0.reason == nil }
  }

  /// Whether the webhook states a purchase or period.
  var isPurchase: Bool {
    kinds.contains { [.transactionPurchased, .subscriptionRenewed].contains($0) }
  }

  /// Every type, one row for each meaning.
  package static let all: [RevenueCatMeaning] = [
    .init("INITIAL_PURCHASE", nil, .transactionPurchased),
    .init("RENEWAL", nil, .subscriptionRenewed),
    .init("NON_RENEWING_PURCHASE", nil, .transactionPurchased),
    .init("CANCELLATION", nil, .subscriptionAutoRenewChanged),
    // BILLING_ISSUE says it, too, with the end of the grace period, which this must not end.
    .init("CANCELLATION", "BILLING_ERROR", .notificationReceived),
    .init("CANCELLATION", "CUSTOMER_SUPPORT", .transactionRefunded),
    .init("UNCANCELLATION", nil, .subscriptionAutoRenewChanged),
    .init("BILLING_ISSUE", nil, .subscriptionBillingFailed, .subscriptionGracePeriodEntered),
    .init("EXPIRATION", nil, .subscriptionExpired),
    // The refund says it, and can be reversed.
    .init("EXPIRATION", "CUSTOMER_SUPPORT", .notificationReceived),
    .init("PRODUCT_CHANGE", nil, .subscriptionPlanChanged),
    .init("SUBSCRIPTION_EXTENDED", nil, .subscriptionRenewalExtended),
    .init("REFUND_REVERSED", nil, .transactionRefundReversed),
    .init("TEMPORARY_ENTITLEMENT_GRANT", nil, .entitlementGranted),
    .init("TRANSFER", nil, .accountTransferred),
    .init("SUBSCRIBER_ALIAS", nil, .accountLinked),
    .init("SUBSCRIPTION_PAUSED", nil, .notificationReceived),
    .init("INVOICE_ISSUANCE", nil, .notificationReceived),
    .init("VIRTUAL_CURRENCY_TRANSACTION", nil, .notificationReceived),
    .init("EXPERIMENT_ENROLLMENT", nil, .notificationReceived),
    .init("TEST", nil, .notificationReceived),
  ]

  /// The stores whose purchases this ledger holds.
  static let stores: Set<String> = ["APP_STORE", "MAC_APP_STORE"]
}
