// The declarations of StoreKit that the recorder uses, without anything behind them, as Apple's
// documentation has them: `Tools/test recorder` compiles the recorder's StoreKit files against them
// on a system without StoreKit. Where Objective-C has no Swift counterpart (optional requirements),
// the check replaces the calls.
import Foundation

// MARK: - StoreKit 1

open class SKPayment: NSObject {
  public var productIdentifier: String { "" }
  public var quantity: Int { 1 }
  public var applicationUsername: String? { nil }
  public var simulatesAskToBuyInSandbox: Bool { false }
}

public enum SKPaymentTransactionState: Int {
  case purchasing, purchased, failed, restored, `deferred`
}

open class SKPaymentTransaction: NSObject {
  public var error: (any Error)? { nil }
  public var original: SKPaymentTransaction? { nil }
  public var payment: SKPayment { SKPayment() }
  public var downloads: [SKDownload] { [] }
  public var transactionDate: Date? { nil }
  public var transactionIdentifier: String? { nil }
  public var transactionState: SKPaymentTransactionState { .purchasing }
}

public enum SKDownloadState: Int {
  case waiting, active, paused, finished, failed, cancelled
}

open class SKDownload: NSObject {
  public var state: SKDownloadState { .waiting }
  public var contentIdentifier: String { "" }
  public var contentURL: URL? { nil }
  public var contentVersion: String { "" }
  public var expectedContentLength: Int64 { 0 }
  public var error: (any Error)? { nil }
  public var progress: Float { 0 }
  public var timeRemaining: TimeInterval { 0 }
  public var transaction: SKPaymentTransaction { SKPaymentTransaction() }
}

open class SKProduct: NSObject {
  public var productIdentifier: String { "" }
  public var localizedTitle: String { "" }
  public var localizedDescription: String { "" }
  public var price: NSDecimalNumber { 0 }
  public var priceLocale: Locale { .current }
  public var isDownloadable: Bool { false }
  public var downloadContentLengths: [NSNumber] { [] }
  public var downloadContentVersion: String { "" }
}

open class SKStorefront: NSObject {
  public var countryCode: String { "" }
}

open class SKPaymentQueue: NSObject {
  public class func `default`() -> SKPaymentQueue { SKPaymentQueue() }
  public class func canMakePayments() -> Bool { true }
  public var storefront: SKStorefront? { nil }
  public func add(_ observer: any SKPaymentTransactionObserver) {}
  public func remove(_ observer: any SKPaymentTransactionObserver) {}
  public func add(_ payment: SKPayment) {}
  public func finishTransaction(_ transaction: SKPaymentTransaction) {}
  public func restoreCompletedTransactions() {}
  public func restoreCompletedTransactions(withApplicationUsername username: String?) {}
  public func start(_ downloads: [SKDownload]) {}
  public func pause(_ downloads: [SKDownload]) {}
  public func resume(_ downloads: [SKDownload]) {}
  public func cancel(_ downloads: [SKDownload]) {}
}

public protocol SKPaymentTransactionObserver: NSObjectProtocol {
  func paymentQueue(
    _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])
  func paymentQueue(
    _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])
  func paymentQueue(
    _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)
  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)
  func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])
  func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool
  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)
  func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  )
}

open class SKRequest: NSObject {
  public func start() {}
}

open class SKProductsRequest: SKRequest {
  public init(productIdentifiers: Set<String>) {}
  public weak var delegate: (any SKProductsRequestDelegate)?
}

open class SKProductsResponse: NSObject {
  public var products: [SKProduct] { [] }
  public var invalidProductIdentifiers: [String] { [] }
}

public protocol SKRequestDelegate: NSObjectProtocol {
  func requestDidFinish(_ request: SKRequest)
  func request(_ request: SKRequest, didFailWithError error: any Error)
}

public protocol SKProductsRequestDelegate: SKRequestDelegate {
  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

// MARK: - StoreKit 2

public enum StoreKitError: Error {
  case unknown, userCancelled
  case networkError(URLError)
  case systemError(any Error)
}

public enum AppStore {
  public struct Environment: Sendable { public let rawValue: String }
  public static func sync() async throws {}
}

public struct Values<Element: Sendable>: AsyncSequence, Sendable {
  public struct AsyncIterator: AsyncIteratorProtocol {
    public func next() async -> Element? { nil }
  }
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

public struct Storefront: Sendable {
  public let countryCode: String
  public static var updates: Values<Storefront> { Values() }
}

public enum VerificationResult<SignedType: Sendable>: Sendable {
  public enum VerificationError: Error { case invalidSignature }
  case unverified(SignedType, VerificationError)
  case verified(SignedType)
}

extension VerificationResult where SignedType == Transaction {
  public var jwsRepresentation: String { "" }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
  public var jwsRepresentation: String { "" }
}

public struct Transaction: Sendable {
  public struct RevocationReason: Equatable, Sendable {
    let rawValue: Int
    public static let developerIssue = RevocationReason(rawValue: 1)
  }
  public struct OwnershipType: Equatable, Sendable {
    let rawValue: String
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
  }
  public struct Offer: Sendable { public let id: String? }

  public let id: UInt64
  public let originalID: UInt64
  public let productID: String
  public let appAccountToken: UUID?
  public let purchasedQuantity: Int
  public let purchaseDate: Date
  public let expirationDate: Date?
  public let signedDate: Date
  public let revocationDate: Date?
  public let revocationReason: RevocationReason?
  public let ownershipType: OwnershipType
  public let isUpgraded: Bool
  public let subscriptionGroupID: String?
  public let price: Decimal?
  public let environment: AppStore.Environment
  public let environmentStringRepresentation: String
  public let currency: Locale.Currency?
  public let currencyCode: String?
  public let storefront: Storefront
  public let offer: Offer?
  public let offerID: String?

  public func finish() async {}
  public static var updates: Values<VerificationResult<Transaction>> { Values() }
  public static var unfinished: Values<VerificationResult<Transaction>> { Values() }
}

public struct Product: Sendable {
  public enum PurchaseError: Error {
    case invalidQuantity, productUnavailable, purchaseNotAllowed
  }
  public struct PurchaseOption: Hashable, Sendable {}
  public enum PurchaseResult: Sendable {
    case success(VerificationResult<Transaction>)
    case userCancelled, pending
  }
  public struct SubscriptionInfo: Sendable {
    public struct RenewalState: Hashable, Sendable {
      let rawValue: Int
      public static let subscribed = RenewalState(rawValue: 1)
      public static let expired = RenewalState(rawValue: 2)
      public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
      public static let inGracePeriod = RenewalState(rawValue: 4)
      public static let revoked = RenewalState(rawValue: 5)
    }
    public struct RenewalInfo: Sendable {
      public struct ExpirationReason: Hashable, Sendable {
        public let rawValue: Int
        public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
        public static let billingError = ExpirationReason(rawValue: 2)
        public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
        public static let productUnavailable = ExpirationReason(rawValue: 4)
        public static let unknown = ExpirationReason(rawValue: 5)
      }
      public enum PriceIncreaseStatus: Sendable { case noIncreasePending, pending, agreed }
      public let willAutoRenew: Bool
      public let autoRenewPreference: String?
      public let priceIncreaseStatus: PriceIncreaseStatus
      public let gracePeriodExpirationDate: Date?
      public let expirationReason: ExpirationReason?
      public let signedDate: Date
    }
    public struct Status: Sendable {
      public let state: RenewalState
      public let renewalInfo: VerificationResult<RenewalInfo>
      public let transaction: VerificationResult<Transaction>
      public static var updates: Values<Status> { Values() }
    }
  }
  public let id: String
  public let displayName: String
  public let description: String
  public let price: Decimal
  public let priceFormatStyle: Decimal.FormatStyle.Currency
  public static func products(for identifiers: some Collection<String>) async throws -> [Product] {
    []
  }
  public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
    .pending
  }
}
