import LedgerEvents

/// An offer under which a period was paid.
struct RedeemedOffer {
  var name: String
  var type: String
}

extension RedeemedOffer {
  /// The offer that signed data states; nil if it states none.
  ///
  /// `offerType` is 1 for introductory offers, 2 for promotional ones, 3 for offer codes and 4 for
  /// win-back offers (https://developer.apple.com/documentation/appstoreserverapi/offertype).
  init?(
    signed text: (_ member: String) throws(ImportError) -> String?
  ) throws(ImportError) {
    guard let stated = try text("offerType") else { return nil }
    let types = ["1": "introductory", "2": "promotional", "3": "code", "4": "winBack"]
    type = types[stated] ?? stated
    if let identifier = try text("offerIdentifier") {
      name = identifier
    } else {
      name = try text("offerDiscountType") == "FREE_TRIAL" ? "freeTrial" : type
    }
  }
}

/// The part of a price that was refunded.
struct RefundedPart {
  /// In thousandths of a percent, as the store writes it.
  var thousandths: Int64

  /// As a percentage: `50`, `33.333`.
  var decimal: String { decimalText(thousandths: thousandths, fractionDigitsMin: 0) }

  var isWhole: Bool { thousandths == 100_000 }

  /// With as many digits as the largest, so that it sorts by its value.
  var sortable: String {
    let digits = String(thousandths)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}

// MARK: - What only one of the vocabularies states

extension ReceiptTransaction {
  /// The members that signed data alone states about a purchase, under the names of events.
  ///
  /// They never change for a transaction. What changes with each signature is left out, because it
  /// would make the same purchase another fact each time.
  func signedDetails() throws(ImportError) -> EventData {
    guard newest.vocabulary == .signed else { return EventData() }
    var data = EventData.Builder()
    if let price = try signedNumber("price") {
      data.set("price", decimalText(thousandths: price, fractionDigitsMin: 2))
      data.set("currency", try signedText("currency"))
    }
    data.set("storefront", try signedText("storefront"))
    data.set("subscriptionGroup", try signedText("subscriptionGroupIdentifier"))
    data.set("productType", try signedText("type"))
    data.set("transactionReason", try signedText("transactionReason"))
    return data.build()
  }

  /// Returns how a transaction was revoked: `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE`.
  func revocationType() throws(ImportError) -> String? { try signedText("revocationType") }

  func revocationKind() throws(ImportError) -> EventKind {
    switch try revocationType() {
    case "REFUND_FULL", "REFUND_PRORATED": return .transactionRefunded
    case "FAMILY_REVOKE": return .transactionRevoked
    default: return try isFamilyShared() ? .transactionRevoked : .transactionRefunded
    }
  }

  /// Returns how much was refunded, if the store says so.
  func refundedPart() throws(ImportError) -> RefundedPart? {
    guard try revocationKind() == .transactionRefunded,
      let thousandths = try signedNumber("revocationPercentage")
    else { return nil }
    return RefundedPart(thousandths: thousandths)
  }

  func redeemedOffer() throws(ImportError) -> RedeemedOffer? {
    guard newest.vocabulary == .signed else { return try offerOfReceipt() }
    return try RedeemedOffer { (name) throws(ImportError) in try signedText(name) }
  }

  private func offerOfReceipt() throws(ImportError) -> RedeemedOffer? {
    if let promotion = try text(.promotionalOffer) {
      return RedeemedOffer(name: promotion, type: "promotional")
    }
    if let code = try text(.offerCode) { return RedeemedOffer(name: code, type: "code") }
    for entry in entries {
      guard let isTrial = try entry.flag("is_trial_period") else { continue }
      if isTrial { return RedeemedOffer(name: "freeTrial", type: "introductory") }
      break
    }
    for entry in entries {
      guard let isIntroductory = try entry.flag("is_in_intro_offer_period") else { continue }
      return isIntroductory ? RedeemedOffer(name: "introductory", type: "introductory") : nil
    }
    return nil
  }

  private func signedText(_ name: String) throws(ImportError) -> String? {
    guard newest.vocabulary == .signed else { return nil }
    for entry in entries {
      if let text = try entry.text(name) { return text }
    }
    return nil
  }

  private func signedNumber(_ name: String) throws(ImportError) -> Int64? {
    guard let text = try signedText(name) else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw ImportError(
        .badValue, path: newest.path(of: name),
        reason: "expected a whole number of thousandths, found \"\(text)\"",
        remedy: "Check that it is what the store signed, unmodified")
    }
    return number
  }
}

/// Returns a number of thousandths as a decimal: 10990 is `10.99`, 1000000 is `1000`.
///
/// - Parameter fractionDigitsMin: How many digits a fraction has at least, if there is one.
func decimalText(thousandths: Int64, fractionDigitsMin: Int) -> String {
  let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
  guard rest > 0 else { return String(whole) }
  var digits = String(1_000 + rest).dropFirst()
  while digits.count > max(1, fractionDigitsMin), digits.last == "0" { digits.removeLast() }
  return "\(whole).\(digits)"
}
