/// What a document is, by its members, so that a file that was passed as something else is refused
/// with the name of what it is.
package struct OtherFormat {
  /// The format that imports it; nil if none does.
  package let format: ImportFormat?
  /// What it is, with its article.
  package let what: String

  package var remedy: String {
    if let format { return "Import it as \(format.rawValue)" }
    return "Daybook is a ledger of the App Store's purchases, and does not import Google Play's"
  }

  private init(_ format: ImportFormat?, _ what: String? = nil) {
    self.format = format
    self.what = what ?? format?.described ?? ""
  }

  init?(_ document: StoreJSON) {
    func has(_ name: String) -> Bool { document[name] != nil }
    self.init(has: has, message: document["message"].map { message in { message[$0] != nil } })
  }

  /// - Parameters:
  ///   - has: Whether the document has a member.
  ///   - message: Whether its member `message`, if that is an object, has a member.
  package init?(has: (String) -> Bool, message: ((String) -> Bool)?) {
    if has("signedPayload") || has("notificationType") && has("notificationUUID") {
      self.init(.notification)
    } else if ["signedTransactions", "notificationHistory"].contains(where: has)
      || has("bundleId") && has("data") && !has("notificationType")
    {
      self.init(.history)
    } else if has("notification_type") || has("unified_receipt") {
      self.init(.notificationV1)
    } else if has("api_version") && has("event") {
      self.init(.revenueCat)
    } else if has("status") && ["receipt", "latest_receipt_info"].contains(where: has) {
      self.init(.verifyReceipt)
    } else if has("subscriptionGroups") {
      self.init(.storekitConfig)
    } else if has("packageName") || has("purchaseToken")
      || has("subscription") && message?("data") == true
    {
      self.init(nil, "a message of Google Play")
    } else if has("transactionId") || has("signedTransactionInfo") {
      self.init(.transaction)
    } else if has("signedAppTransactionInfo") || has("receiptType")
      || has("originalApplicationVersion")
    {
      self.init(.appTransaction)
    } else if ["autoRenewStatus", "autoRenewProductId", "signedRenewalInfo"].contains(where: has) {
      self.init(.renewal)
    } else {
      return nil
    }
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
