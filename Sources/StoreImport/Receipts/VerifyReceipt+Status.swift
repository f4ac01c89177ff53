extension VerifyReceipt {
  /// Returns the meaning of a status other than 0, and what to do about it.
  ///
  /// The codes are those of the App Store Receipts documentation, page *status*
  /// (https://developer.apple.com/documentation/appstorereceipts/status).
  public static func meaning(ofStatus status: Int) -> (meaning: String, remedy: String) {
    switch status {
    case 21000:
      (
        "the request to the store was not an HTTP POST",
        "Send the receipt again with the method POST"
      )
    case 21001:
      (
        "a code that the store no longer sends",
        "Request the receipt from the store again"
      )
    case 21002:
      (
        "the data in receipt-data was malformed, or the service had a temporary problem",
        "Send the complete receipt again, base64-encoded without line breaks"
      )
    case 21003:
      (
        "the receipt could not be authenticated",
        "Do not trust this receipt: refresh it on the device and send the new one"
      )
    case 21004:
      (
        "the shared secret does not match the one on file for the account",
        "Send the app's shared secret from App Store Connect as password"
      )
    case 21005:
      (
        "the receipt server was temporarily unable to provide the receipt",
        "Request the receipt from the store again later"
      )
    case 21006:
      (
        "the receipt is valid, but its subscription has expired (iOS 6 style receipts)",
        "Refresh the receipt on the device: the unified receipt lists every period"
      )
    case 21007:
      (
        "the receipt is from the sandbox, but was sent to production",
        "Send it to https://sandbox.itunes.apple.com/verifyReceipt and import that answer"
      )
    case 21008:
      (
        "the receipt is from production, but was sent to the sandbox",
        "Send it to https://buy.itunes.apple.com/verifyReceipt and import that answer"
      )
    case 21009:
      (
        "an internal data access error of the store",
        "Request the receipt from the store again later"
      )
    case 21010:
      (
        "the user account cannot be found or has been deleted",
        "There is nothing to import: the store no longer knows this customer"
      )
    case 21100...21199:
      (
        "an internal data access error of the store",
        "Request the receipt from the store again later"
      )
    default:
      (
        "a code that the store does not document",
        "Check the answer: it is not from verifyReceipt, or the store has a new code"
      )
    }
  }

  /// The status of an expired subscription. The answer still lists what was bought and when.
  static let expiredStatus = 21006

  /// Returns the error for the status of an answer, or `nil` if the status is 0.
  static func refusal(of answer: StoreObject) throws(ImportError) -> ImportError? {
    guard let text = try answer.text("status") else {
      throw notAnAnswer(answer)
    }
    guard let status = Int(text) else {
      throw ImportError(
        .badValue, path: "status", reason: "expected a number, found \"\(text)\"",
        remedy: "Check that the file is the store's unmodified answer")
    }
    if status == 0 { return nil }
    let (meaning, remedy) = meaning(ofStatus: status)
    var reason = "the store answered with status \(status): \(meaning)"
    let isRetryable = try answer.flag("is-retryable")
    if let isRetryable {
      reason +=
        isRetryable
        ? "; the store says that a retry may help"
        : "; the store says that a retry will not help"
    }
    return ImportError(
      .refusedByStore, path: "status", reason: reason, remedy: remedy, status: status)
  }

  private static func notAnAnswer(_ answer: StoreObject) -> ImportError {
    let isConfiguration =
      answer.members["subscriptionGroups"] != nil || answer.members["products"] != nil
    return ImportError(
      .otherFormat, path: "status",
      reason: "expected a status, as in every verifyReceipt answer, but there is none",
      remedy: isConfiguration
        ? "This looks like a StoreKit configuration: import it as storekit-config"
        : "Import the JSON that the store's verifyReceipt returned, complete and unmodified")
  }
}
