public import LedgerEvents

/// What a payload is about.
public enum SignedDataKind: String, CaseIterable, Sendable {
  /// An App Store Server Notification, version 2 (`responseBodyV2DecodedPayload`).
  case notification
  /// A transaction (`JWSTransactionDecodedPayload`).
  case transaction
  /// The renewal info of a subscription (`JWSRenewalInfoDecodedPayload`).
  case renewal
  /// The purchase or download of the app itself (`AppTransaction`).
  case appTransaction

  /// The kind with its article, for messages.
  var described: String {
    switch self {
    case .notification: "a notification"
    case .transaction: "a transaction"
    case .renewal: "a renewal info"
    case .appTransaction: "an app transaction"
    }
  }
}

/// Signed data that was verified: what it says, and by what it is believed.
public struct VerifiedData: Sendable {
  /// What the payload is about.
  public let kind: SignedDataKind
  /// The payload as it was signed: a JSON object in UTF-8.
  public let payload: [UInt8]
  /// The parsed payload, without members that are `null`.
  public let content: JSONValue
  /// When it was signed, as the payload says: the time at which the certificates were checked.
  public let signedAt: Instant
  /// Where it comes from.
  public let environment: StoreEnvironment
  /// The app that it is about.
  public let bundleID: String
  /// The certificates by which it is believed: leaf, intermediate and trusted root; or the pinned
  /// one of a local test.
  public let certificates: [SigningCertificate]
  /// The signed data in it, verified in the same way: `data.signedTransactionInfo`,
  /// `data.signedRenewalInfo` and `appData.signedAppTransactionInfo`. Anything else that looks
  /// signed is in `content` as it came.
  public let nested: [NestedData]

  /// Whether a pinned certificate of local testing signed it, and not the store.
  public var isLocal: Bool { certificates.first?.role == .local }
}

/// Signed data in a payload.
public struct NestedData: Sendable {
  /// Its place in the outer payload: `data.signedTransactionInfo`, `data.signedRenewalInfo` or
  /// `appData.signedAppTransactionInfo`.
  public let path: String
  /// What was verified.
  public let data: VerifiedData
}
