public import LedgerEvents

/// What an app receipt says: the app, when the receipt was created, and the purchases in it.
///
/// Source: Apple's *Receipt Validation Programming Guide*, *Receipt Fields*. What that leaves out
/// (attributes 0, 18, 1713 and 1721) is as public libraries and the store's own receipts have it.
public struct AppReceipt: Sendable, Equatable {
  /// One purchase (attribute 17). What the receipt does not say is nil.
  public struct Purchase: Sendable, Equatable {
    /// How many were bought (1701).
    public let quantity: Int64?
    /// The product's identifier (1702).
    public let product: String?
    /// The identifier of the transaction (1703).
    public let transaction: String?
    /// The first transaction of its chain (1705).
    public let originalTransaction: String?
    /// When it was bought, or restored (1704).
    public let purchasedAt: Instant?
    /// When the first transaction of its chain was bought (1706).
    public let originalPurchasedAt: Instant?
    /// The end of the paid period (1708).
    public let expiresAt: Instant?
    /// When the store took it back, or it ended by an upgrade (1712).
    public let cancelledAt: Instant?
    /// The identifier of a subscription's period in the store (1711).
    public let webOrderLineItem: Int64?
    /// Whether it is a free trial (1713).
    public let isTrial: Bool?
    /// Whether it has an introductory price (1719).
    public let isIntroductoryOffer: Bool?
    /// The identifier of a promotional offer (1721).
    public let promotionalOffer: String?
    /// Attributes that are not read here.
    public let otherAttributes: [ReceiptAttribute]
  }

  /// The receipt's type, as it is written: `Production`, `ProductionSandbox`, `Xcode` … (0).
  public let type: String?
  /// The app's bundle id (2).
  public let bundleID: String?
  /// The version of the app that got the receipt (3).
  public let appVersion: String?
  /// The version of the app that was bought first (19).
  public let originalAppVersion: String?
  /// When the receipt was created (12).
  public let createdAt: Instant?
  /// When the app was bought first (18).
  public let originalPurchasedAt: Instant?
  /// When the receipt expires, for apps bought in volume (21).
  public let expiresAt: Instant?
  /// The purchases, in the receipt's order.
  public let purchases: [Purchase]
  /// Attributes that are not read here.
  public let otherAttributes: [ReceiptAttribute]

  /// The bundle id as it is encoded, a value that only the store knows (4), and a SHA-1 (5).
  let bundleIDBytes: [UInt8]
  let opaqueValue: [UInt8]
  let deviceHash: [UInt8]

  /// Reads a receipt without verifying it: anybody can have written it.
  ///
  /// - Parameter file: The receipt as DER or BER, or as base64 with or without line breaks.
  /// - Throws: ``SignedDataError`` if it is no receipt.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(unverified file: [UInt8]) throws(SignedDataError) {
    self = try AppReceipt(content: SignedReceipt(file).content)
  }

  /// The environment that the receipt names; nil if it names none that is known.
  public var environment: StoreEnvironment? { type.flatMap { StoreEnvironment(receiptType: $0) } }
}

extension StoreEnvironment {
  /// The environment of an app receipt's type; nil if the type is unknown.
  package init?(receiptType type: String) {
    switch type {
    case "Production", "ProductionVPP": self = .production
    case "ProductionSandbox", "ProductionVPPSandbox", "Sandbox": self = .sandbox
    case "Xcode": self = .xcode
    case "LocalTesting": self = .localTesting
    default: return nil
    }
  }
}

/// An attribute of a receipt that is not read here.
public struct ReceiptAttribute: Sendable, Equatable {
  public let type: Int64
  public let version: Int64
  /// The value, in most cases ASN.1 of its own.
  public let value: [UInt8]
}

/// A receipt that was verified: what it says, and by what it is believed.
public struct VerifiedReceipt: Sendable {
  public let receipt: AppReceipt
  /// When it was created, as it says: the time at which the certificates were checked.
  public let createdAt: Instant
  /// Where it comes from.
  public let environment: StoreEnvironment
  /// The app that it is about.
  public let bundleID: String
  /// The certificates by which it is believed: leaf, intermediate and trusted root; or the pinned
  /// one of a local test.
  public let certificates: [SigningCertificate]

  /// Whether a pinned certificate of local testing signed it, and not the store.
  public var isLocal: Bool { certificates.first?.role == .local }
}
