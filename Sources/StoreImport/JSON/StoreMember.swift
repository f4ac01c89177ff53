import LedgerEvents

/// The two vocabularies in which the store states the same facts.
enum StoreVocabulary {
  /// Answers of verifyReceipt: `purchase_date_ms`.
  case receipt
  /// Signed data of StoreKit 2 and of the App Store Server: `purchaseDate`.
  case signed
}

/// A member that both vocabularies have, or one of them.
///
/// Everything that makes facts reads members by these names, so that the same purchase gives the
/// same facts in whichever vocabulary the store states it.
enum StoreMember {
  case transaction
  case original
  case product
  case accountToken
  case ownership
  case quantity
  case purchaseDate
  case originalPurchaseDate
  case expiresDate
  case revocationDate
  case revocationReason
  case isUpgraded
  case nextProduct
  case autoRenewStatus
  case expirationIntent
  case isInBillingRetry
  case gracePeriodExpiresDate
  case priceIncreaseStatus
  case priceConsentStatus
  case promotionalOffer
  case offerCode

  /// The member's name in each vocabulary. Dates of receipts are also read with `_ms` after it.
  private var names: (receipt: String, signed: String) {
    switch self {
    case .transaction: ("transaction_id", "transactionId")
    case .original: ("original_transaction_id", "originalTransactionId")
    case .product: ("product_id", "productId")
    case .accountToken: ("app_account_token", "appAccountToken")
    case .ownership: ("in_app_ownership_type", "inAppOwnershipType")
    case .quantity: ("quantity", "quantity")
    case .purchaseDate: ("purchase_date", "purchaseDate")
    case .originalPurchaseDate: ("original_purchase_date", "originalPurchaseDate")
    case .expiresDate: ("expires_date", "expiresDate")
    case .revocationDate: ("cancellation_date", "revocationDate")
    case .revocationReason: ("cancellation_reason", "revocationReason")
    case .isUpgraded: ("is_upgraded", "isUpgraded")
    case .nextProduct: ("auto_renew_product_id", "autoRenewProductId")
    case .autoRenewStatus: ("auto_renew_status", "autoRenewStatus")
    case .expirationIntent: ("expiration_intent", "expirationIntent")
    case .isInBillingRetry: ("is_in_billing_retry_period", "isInBillingRetryPeriod")
    case .gracePeriodExpiresDate: ("grace_period_expires_date", "gracePeriodExpiresDate")
    case .priceIncreaseStatus: ("price_increase_status", "priceIncreaseStatus")
    case .priceConsentStatus: ("price_consent_status", "priceConsentStatus")
    case .promotionalOffer: ("promotional_offer_id", "offerIdentifier")
    case .offerCode: ("offer_code_ref_name", "offerIdentifier")
    }
  }

  func name(in vocabulary: StoreVocabulary) -> String {
    vocabulary == .receipt ? names.receipt : names.signed
  }
}

extension StoreObject {
  func name(_ member: StoreMember) -> String { member.name(in: vocabulary) }

  func path(of member: StoreMember) -> String { path(of: name(member)) }

  func text(_ member: StoreMember) throws(ImportError) -> String? { try text(name(member)) }

  func flag(_ member: StoreMember) throws(ImportError) -> Bool? { try flag(name(member)) }

  func date(_ member: StoreMember) throws(ImportError) -> Instant? { try date(name(member)) }

  func eventDate(_ member: StoreMember) throws(ImportError) -> Instant? {
    try eventDate(name(member))
  }
}
