/// Why a store knows none of an app's products: a checklist for when a response lists every
/// identifier as invalid.
///
/// Source: Apple's Technical Notes TN2259 (*Adding In-App Purchase to your iOS and OS X
/// Applications*, frequently asked questions) and TN2413 (*In-App Purchase FAQ*), and the
/// documentation of `SKProductsResponse.invalidProductIdentifiers`.
public enum InvalidCause: String, CaseIterable, Sendable {
  case wildcardAppID
  case olderProfile
  case agreementMissing
  case rejectedBinary
  case otherBundleID
  case notClearedForSale

  /// The sources of the list.
  public static let source =
    "Apple TN2259, TN2413, and SKProductsResponse.invalidProductIdentifiers"

  /// What to check and what to do.
  public var text: String {
    switch self {
    case .wildcardAppID:
      "The App ID is a wildcard: in-app purchase needs an explicit one."
    case .olderProfile:
      "The provisioning profile was made before in-app purchases were switched on for the App ID: "
        + "make it again, and install it."
    case .agreementMissing:
      "The agreement for paid apps, tax or bank details are missing or have run out: the account's "
        + "holder completes them in App Store Connect."
    case .rejectedBinary:
      "The app's binary was rejected (by review or by you), or the products were never submitted "
        + "with one: submit again."
    case .otherBundleID:
      "The app's bundle identifier is not the one that the products belong to: compare the built "
        + "app with App Store Connect."
    case .notClearedForSale:
      "The products are not cleared for sale, or changes to them have not reached every server "
        + "yet: clear them, and wait a few hours."
    }
  }
}
