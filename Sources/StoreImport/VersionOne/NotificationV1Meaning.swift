package import LedgerEvents

/// What a type of server notification of version 1 becomes.
///
/// Source:
/// https://developer.apple.com/documentation/appstoreservernotifications/notification_type
package struct NotificationV1Meaning: Sendable {
  /// When what the notification says happened. The store does not say when it sent it.
  package enum Occurrence: String, Sendable {
    case purchase = "`purchase_date` of the newest purchase"
    case end = "`expires_date` of the newest period"
    case cancellation = "`cancellation_date`"
    case change = "`auto_renew_status_change_date`"
    case sending = "when it was sent"
  }

  package let type: String
  /// The events that say it.
  package let kinds: [EventKind]
  package let occurrence: Occurrence

  private init(_ type: String, _ occurrence: Occurrence, _ kinds: EventKind...) {
    self.type = type
    self.kinds = kinds
    self.occurrence = occurrence
  }

  /// Returns the meaning of a type; nil if it is unknown.
  static func of(_ type: String) -> NotificationV1Meaning? { all.first { $0.type == type } }

  /// Every type, one row each. `RENEWAL` is what the store later called `DID_RECOVER`.
  package static let all: [NotificationV1Meaning] = [
    .init("INITIAL_BUY", .purchase, .transactionPurchased),
    .init("INTERACTIVE_RENEWAL", .purchase, .subscriptionRenewed),
    .init("DID_RENEW", .purchase, .subscriptionRenewed),
    .init("DID_RECOVER", .purchase, .subscriptionRenewed, .subscriptionBillingRecovered),
    .init("RENEWAL", .purchase, .subscriptionRenewed, .subscriptionBillingRecovered),
    .init("DID_FAIL_TO_RENEW", .end, .subscriptionBillingFailed),
    .init("DID_CHANGE_RENEWAL_STATUS", .change, .subscriptionAutoRenewChanged),
    .init("DID_CHANGE_RENEWAL_PREF", .sending, .subscriptionPlanChanged),
    .init("PRICE_INCREASE_CONSENT", .sending, .subscriptionPriceIncreased),
    .init("CONSUMPTION_REQUEST", .sending, .transactionRefundRequested),
    .init("CANCEL", .cancellation, .transactionRefunded),
    .init("REFUND", .cancellation, .transactionRefunded),
    .init("REVOKE", .cancellation, .transactionRevoked),
  ]
}
