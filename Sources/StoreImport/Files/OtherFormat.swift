/// What a document is, by its members, so that a file that was passed as something else is refused
/// with the name of what it is.
package struct OtherFormat {
  /// The format that imports it; nil if none does.
  package let format: ImportFormat?
  /// What it is, with its article.
  package let what: String

  package let remedy: String

  private init(_ format: ImportFormat) {
    self.format = format
    what = format.described
    remedy = "Import it as \(format.rawValue)"
  }

  private init(_ what: String, _ remedy: String) {
    format = nil
    self.what = what
    self.remedy = remedy
  }

  init?(_ document: StoreJSON) {
    self.init(
      has: { document[$0] != nil }, inner: { document[$0]?[$1] != nil },
      text: { name in
        if case .string(let text)? = document[name]?.content { text } else { nil }
      })
  }

  /// - Parameters:
  ///   - has: Whether the document has a member.
  ///   - inner: Whether a member of it, if that is an object, has a member.
  ///   - text: The text in a member; nil for something else.
  package init?(
    has: (String) -> Bool, inner: (String, String) -> Bool, text: (String) -> String?
  ) {
    func hasAny(_ names: String...) -> Bool { names.contains(where: has) }
    if has("signedPayload") || has("notificationType") && has("notificationUUID") {
      self.init(.notification)
    } else if hasAny("signedTransactions", "notificationHistory")
      || has("bundleId") && has("data") && !has("notificationType")
      || has("hasMore") && hasAny("revision", "paginationToken")
    {
      self.init(.history)
    } else if has("errorCode") && has("errorMessage") {
      self.init(
        "an error that the App Store Server API answered",
        "Ask the App Store Server again: an error says nothing about a purchase")
    } else if has("notification_type") || has("unified_receipt") {
      self.init(.notificationV1)
    } else if has("event") && (has("api_version") || inner("event", "app_user_id")) {
      self.init(.revenueCat)
    } else if has("subscriber") && has("request_date") {
      self.init(
        "what RevenueCat says about a customer",
        "Import its webhooks as revenuecat, or its scheduled exports as revenuecat-export")
    } else if has("status") && hasAny("receipt", "latest_receipt_info") {
      self.init(.verifyReceipt)
    } else if has("subscriptionGroups") {
      self.init(.storekitConfig)
    } else if text("purchaseToken")?.hasPrefix(Self.signedPrefix) == true {
      self.init(
        "a purchase in the words of a library, with the signed text in purchaseToken",
        "Import the text in purchaseToken as transaction")
    } else if Self.isOfGooglePlay(has, inner) {
      self.init(
        "a message of Google Play",
        "Daybook is a ledger of the App Store's purchases, and does not import Google Play's")
    } else if hasAny("transactionId", "signedTransactionInfo") {
      self.init(.transaction)
    } else if hasAny("signedAppTransactionInfo", "receiptType", "originalApplicationVersion") {
      self.init(.appTransaction)
    } else if hasAny("autoRenewStatus", "autoRenewProductId", "signedRenewalInfo") {
      self.init(.renewal)
    } else {
      return nil
    }
  }

  /// How a signed text begins: `{"` in base64 for URLs.
  private static let signedPrefix = "eyJ"

  /// Whether it is a notification, as Cloud Pub/Sub pushes it or as it is pulled, or an answer of
  /// the Google Play Developer API.
  private static func isOfGooglePlay(
    _ has: (String) -> Bool, _ inner: (String, String) -> Bool
  ) -> Bool {
    let isMessage =
      inner("message", "data")
      && (has("subscription") || inner("message", "messageId") || inner("message", "publishTime"))
    let notifications = [
      "subscriptionNotification", "oneTimeProductNotification", "voidedPurchaseNotification",
    ]
    let ofPurchase = [
      "purchaseState", "purchaseTimeMillis", "startTimeMillis", "subscriptionState",
      "latestOrderId", "lineItems",
    ]
    let others = ["packageName", "purchaseToken", "receivedMessages", "voidedPurchases"]
    return isMessage || (others + notifications).contains(where: has)
      || has("kind") && ofPurchase.contains(where: has)
  }
}

extension ImportFormat {
  /// What a file of the format holds, with its article.
  package var described: String {
    switch self {
    case .storekitConfig: "a StoreKit configuration"
    case .verifyReceipt: "an answer of verifyReceipt"
    case .receipt: "an app receipt"
    case .notificationV1: "a server notification of version 1"
    case .revenueCat: "a webhook of RevenueCat"
    case .revenueCatExport: "an export of RevenueCat"
    case .csv: "a table"
    case .notification: "a notification of the App Store Server (version 2)"
    case .transaction: "a transaction of StoreKit 2"
    case .renewal: "a renewal info of StoreKit 2"
    case .appTransaction: "an app transaction of StoreKit 2"
    case .history: "an answer of the App Store Server API"
    }
  }
}
