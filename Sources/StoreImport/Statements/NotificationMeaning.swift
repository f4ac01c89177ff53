package import LedgerEvents

/// What a type of App Store Server Notification, with one of its subtypes, becomes.
///
/// Source: https://developer.apple.com/documentation/appstoreservernotifications/notificationtype
package struct NotificationMeaning: Sendable {
  /// The date of the notification's own event.
  package enum Occurrence: String, Sendable {
    case purchase = "`purchaseDate`"
    case revocation = "`revocationDate`, else `signedDate`"
    case end = "`expiresDate`, else `signedDate`"
    case signature = "`signedDate`"
    /// A renewal is not tried for longer, so that a notification that was signed again later does
    /// not end what was bought after that.
    case retryEnd = "`signedDate`, at most 60 days after `expiresDate`"
  }

  package let type: String
  package let subtype: String?
  /// The notification's own event, and what else it says. The first has the notification's UUID as
  /// its id.
  package let kinds: [EventKind]
  package let occurrence: Occurrence

  private init(
    _ type: String, _ subtype: String?, _ occurrence: Occurrence, _ kinds: EventKind...
  ) {
    self.type = type
    self.subtype = subtype
    self.kinds = kinds
    self.occurrence = occurrence
  }

  /// Returns the meaning of a notification; nil if the type, or the subtype of it, is unknown.
  static func of(type: String, subtype: String?) -> NotificationMeaning? {
    byType[type]?.first { $0.subtype == subtype }
  }

  private static let byType = Dictionary(grouping: all, by: \.type)

  /// Every type with every subtype, one row each.
  package static let all: [NotificationMeaning] = [
    .init("SUBSCRIBED", "INITIAL_BUY", .purchase, .transactionPurchased),
    .init("SUBSCRIBED", "RESUBSCRIBE", .purchase, .subscriptionRenewed),
    .init("DID_RENEW", nil, .purchase, .subscriptionRenewed),
    .init(
      "DID_RENEW", "BILLING_RECOVERY", .purchase, .subscriptionRenewed,
      .subscriptionBillingRecovered),
    .init("ONE_TIME_CHARGE", nil, .purchase, .transactionPurchased),
    .init("OFFER_REDEEMED", nil, .signature, .subscriptionOfferRedeemed),
    .init(
      "OFFER_REDEEMED", "INITIAL_BUY", .purchase, .subscriptionOfferRedeemed),
    .init(
      "OFFER_REDEEMED", "RESUBSCRIBE", .purchase, .subscriptionOfferRedeemed),
    .init(
      "OFFER_REDEEMED", "UPGRADE", .purchase, .subscriptionOfferRedeemed, .subscriptionPlanChanged),
    .init(
      "OFFER_REDEEMED", "DOWNGRADE", .signature, .subscriptionOfferRedeemed,
      .subscriptionPlanChanged),
    .init("DID_CHANGE_RENEWAL_PREF", nil, .signature, .subscriptionPlanChanged),
    .init("DID_CHANGE_RENEWAL_PREF", "UPGRADE", .purchase, .subscriptionPlanChanged),
    .init("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", .signature, .subscriptionPlanChanged),
    .init(
      "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", .signature, .subscriptionAutoRenewChanged),
    .init(
      "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", .signature,
      .subscriptionAutoRenewChanged),
    .init("DID_FAIL_TO_RENEW", nil, .signature, .subscriptionBillingFailed),
    .init("DID_FAIL_TO_RENEW", "GRACE_PERIOD", .signature, .subscriptionGracePeriodEntered),
    .init("GRACE_PERIOD_EXPIRED", nil, .signature, .subscriptionBillingFailed),
    .init("EXPIRED", nil, .end, .subscriptionExpired),
    .init("EXPIRED", "VOLUNTARY", .end, .subscriptionExpired),
    .init("EXPIRED", "BILLING_RETRY", .retryEnd, .subscriptionExpired),
    .init("EXPIRED", "PRICE_INCREASE", .end, .subscriptionExpired),
    .init("EXPIRED", "PRODUCT_NOT_FOR_SALE", .end, .subscriptionExpired),
    .init("PRICE_INCREASE", "PENDING", .signature, .subscriptionPriceIncreased),
    .init("PRICE_INCREASE", "ACCEPTED", .signature, .subscriptionPriceIncreased),
    .init("RENEWAL_EXTENDED", nil, .signature, .subscriptionRenewalExtended),
    .init("RENEWAL_EXTENSION", "SUMMARY", .signature, .notificationReceived),
    .init("RENEWAL_EXTENSION", "FAILURE", .signature, .notificationReceived),
    .init(
      "CONSUMPTION_REQUEST", nil, .signature, .notificationReceived, .transactionRefundRequested),
    .init("REFUND", nil, .revocation, .transactionRefunded),
    .init("REFUND_DECLINED", nil, .signature, .transactionRefundDeclined),
    .init("REFUND_REVERSED", nil, .signature, .transactionRefundReversed),
    .init("REVOKE", nil, .revocation, .transactionRevoked),
    .init("TEST", nil, .signature, .notificationReceived),
    .init("EXTERNAL_PURCHASE_TOKEN", "CREATED", .signature, .notificationReceived),
    .init("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", .signature, .notificationReceived),
    .init("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", .signature, .notificationReceived),
    .init("RESCIND_CONSENT", nil, .signature, .notificationReceived),
    .init("METADATA_UPDATE", nil, .signature, .notificationReceived),
    .init("MIGRATION", nil, .signature, .notificationReceived),
    .init("PRICE_CHANGE", nil, .signature, .notificationReceived),
  ]
}
