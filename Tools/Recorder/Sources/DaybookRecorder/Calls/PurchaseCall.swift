/// What happens with StoreKit 2: the results of its calls, and the values of its sequences.
public enum PurchaseCall: Sendable {
  /// `Product.products(for:)`
  case productsRequested([String])
  /// Its result. The identifiers that were asked for and are missing in it are unknown to the
  /// store.
  case productsReceived([OfferedProduct], invalid: [String])
  /// The error that it threw.
  case productsFailed(StoreError)
  /// Before `product.purchase(options:)`, also for a `PurchaseIntent`. `payment` is a name of your
  /// own for this purchase.
  case purchase(
    payment: String, product: String, quantity: Int? = nil, displayed: DisplayedPrice? = nil)
  /// What `product.purchase(options:)` returned.
  case purchased(PurchaseResult, payment: String, product: String)
  /// The error that it threw.
  case purchaseFailed(StoreError, payment: String, product: String)
  /// A value of `Transaction.updates`
  case updated(SignedTransaction)
  /// A value of `Transaction.unfinished`
  case unfinished(SignedTransaction)
  /// A value of `Transaction.currentEntitlements`, `Transaction.all` or `latest(for:)`. Reading
  /// changes nothing, so it becomes no event.
  case currentEntitlement(SignedTransaction)
  /// `transaction.finish()`
  case finish(SignedTransaction)
  /// A value of `Product.SubscriptionInfo.Status.updates`, or one that the app read. What was
  /// recorded of the subscription before is not recorded again.
  case statusUpdated(SubscriptionStatus)
  /// `AppStore.sync()`
  case restore
  case restoreFinished
  case restoreFailed(StoreError)
  /// `beginRefundRequest(in:)` returned `.success`
  case refundRequested(SignedTransaction)
  /// A value of `Storefront.updates`, with the three letters of `countryCode`
  case storefrontChanged(String)
}

extension PurchaseCall {
  /// Whether it is the call that has to wait until everything before it is on the disk.
  var isFinish: Bool { if case .finish = self { true } else { false } }
}

/// `Product.PurchaseResult`
public enum PurchaseResult: Sendable {
  /// `.success`, verified or not
  case success(SignedTransaction)
  case pending
  case userCancelled
}

/// What a `VerificationResult<Transaction>` says.
public struct SignedTransaction: Sendable, Equatable {
  /// Whose purchase it is.
  public enum Ownership: String, Sendable {
    case purchased, familyShared
  }

  /// `String(transaction.id)`
  public var transaction: String
  /// `String(transaction.originalID)`
  public var original: String?
  public var product: String
  public var environment: StoreEnvironment?
  /// `appAccountToken`
  public var account: String?
  public var quantity: Int?
  public var purchasedAt: Timestamp?
  public var expiresAt: Timestamp?
  public var signedAt: Timestamp?
  public var revokedAt: Timestamp?
  /// `revocationReason`, in the words of StoreKit
  public var revocationReason: String?
  public var price: String?
  public var currency: String?
  public var storefront: String?
  public var ownership: Ownership?
  public var isUpgraded: Bool?
  public var subscriptionGroup: String?
  public var offer: String?
  /// `jwsRepresentation`: what the store signed, as it came. The ledger can verify it later.
  public var jws: String?
  /// Why the device did not verify it (`.unverified`); nil if it did.
  public var verificationError: StoreError?

  public init(transaction: String, original: String? = nil, product: String) {
    self.transaction = transaction
    self.original = original
    self.product = product
  }
}

/// What a `Product.SubscriptionInfo.Status` says.
public struct SubscriptionStatus: Sendable, Equatable {
  /// `Product.SubscriptionInfo.RenewalState`
  public enum State: String, Sendable, Codable {
    case subscribed, expired, inBillingRetryPeriod, inGracePeriod, revoked
  }

  /// `RenewalInfo.PriceIncreaseStatus`
  public enum PriceIncrease: String, Sendable, Codable {
    case none, pending, agreed
  }

  public var transaction: SignedTransaction
  public var state: State
  public var willAutoRenew: Bool
  /// `autoRenewPreference`: the product of the next period
  public var renewsAs: String?
  public var priceIncrease: PriceIncrease
  public var gracePeriodExpiresAt: Timestamp?
  /// `expirationReason`, in the words of StoreKit
  public var expirationReason: String?
  /// The `signedDate` of the renewal info
  public var signedAt: Timestamp?
  /// The renewal info's `jwsRepresentation`
  public var jws: String?

  public init(
    transaction: SignedTransaction, state: State, willAutoRenew: Bool, renewsAs: String? = nil,
    priceIncrease: PriceIncrease = .none, gracePeriodExpiresAt: Timestamp? = nil,
    expirationReason: String? = nil, signedAt: Timestamp? = nil, jws: String? = nil
  ) {
    self.transaction = transaction
    self.state = state
    self.willAutoRenew = willAutoRenew
    self.renewsAs = renewsAs
    self.priceIncrease = priceIncrease
    self.gracePeriodExpiresAt = gracePeriodExpiresAt
    self.expirationReason = expirationReason
    self.signedAt = signedAt
    self.jws = jws
  }
}
