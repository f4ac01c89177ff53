import LedgerEvents
import SignedStoreData

/// Reads app receipts: what an app finds at its `appStoreReceiptURL`.
///
/// A receipt lists the same purchases as the store's answer about it, so it is turned into such an
/// answer and read like one. Then a fact is the same one from either. An answer says more: how a
/// subscription renews, why it was refunded, and that a purchase is shared with a family.
enum ReceiptFile {
  /// The name of this format, as stated by `import.received`.
  static let format = ImportFormat.receipt.rawValue

  /// Returns the receipt, and whether it was verified.
  static func receipt(
    _ bytes: [UInt8], options: ImportOptions, trust: SignatureTrust
  ) throws(ImportError) -> (Receipt, isVerified: Bool) {
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") { throw isJSON }
    let (app, isVerified) = try believed(bytes, trust)
    let document = try StoreJSONReader.document(app.answer.json)
    let answer = try StoreObject(document, path: "")
    let receipt = try Receipt(answer, notification: nil, options: options)
    guard let environment = receipt.statedEnvironment ?? options.environment else {
      throw ImportError(
        .missing, path: "receipt.receipt_type",
        reason: "the receipt does not state its store environment",
        remedy: "Pass it with --environment: production for real purchases, sandbox for tests")
    }
    let evidence: StoreEvidence = isVerified ? .verified : .unverified
    return (receipt.of(environment).with(evidence), isVerified)
  }

  private static func believed(
    _ bytes: [UInt8], _ trust: SignatureTrust
  ) throws(ImportError) -> (AppReceipt, isVerified: Bool) {
    do throws(SignedDataError) {
      switch trust {
      case .verified(let verifier, let now):
        return (try verifier.verify(receipt: bytes, at: now).receipt, true)
      case .unverified: return (try AppReceipt(unverified: bytes), false)
      case .noApp: break
      }
    } catch {
      throw ImportError(.notBelieved, reason: error.reason, remedy: error.remedy)
    }
    throw ImportError(
      .notBelieved,
      reason: "it is not known which app the receipt must be of, and any app's is signed as well",
      remedy: "Pass the app's bundle identifier with --app")
  }

  private static let isJSON = ImportError(
    .otherFormat, reason: "expected an app's receipt, found JSON",
    remedy: "If it is an answer of verifyReceipt, import it as verify-receipt; if a member of it, "
      + "such as receipt-data, has the receipt, pass that text alone")
}

extension AppReceipt {
  /// The receipt as the store's verifyReceipt would have answered, as far as it says that.
  fileprivate var answer: JSONValue {
    let receipt = JSONValue.answer([
      ("receipt_type", type), ("bundle_id", bundleID), ("application_version", appVersion),
      ("original_application_version", originalAppVersion),
      ("receipt_creation_date_ms", createdAt?.answer),
      ("original_purchase_date_ms", originalPurchasedAt?.answer),
    ])
    let purchases = JSONValue.array(purchases.map(\.answer))
    return .object([
      (
        name: "receipt",
        value: .object((receipt.object ?? []) + [(name: "in_app", value: purchases)])
      )
    ])
  }
}

extension AppReceipt.Purchase {
  fileprivate var answer: JSONValue {
    .answer([
      ("quantity", quantity.map { String($0) }), ("product_id", product),
      ("transaction_id", transaction), ("original_transaction_id", originalTransaction),
      ("purchase_date_ms", purchasedAt?.answer),
      ("original_purchase_date_ms", originalPurchasedAt?.answer),
      ("expires_date_ms", expiresAt?.answer), ("cancellation_date_ms", cancelledAt?.answer),
      ("web_order_line_item_id", webOrderLineItem.map { String($0) }),
      ("is_trial_period", isTrial.map { String($0) }),
      ("is_in_intro_offer_period", isIntroductoryOffer.map { String($0) }),
      ("promotional_offer_id", promotionalOffer),
    ])
  }
}

extension JSONValue {
  /// An object of the members that have a value.
  fileprivate static func answer(_ members: [(String, String?)]) -> JSONValue {
    .object(members.compactMap { name, value in value.map { (name: name, value: .string($0)) } })
  }
}

extension Instant {
  /// Milliseconds since 1970, as answers have them.
  fileprivate var answer: String {
    let (milliseconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000)
    if rest == 0 { return String(milliseconds) }
    let fraction = String(rest.magnitude + 1_000).dropFirst()
    return (microseconds < 0 ? "-" : "") + "\(milliseconds.magnitude).\(fraction)"
  }
}
