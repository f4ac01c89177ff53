#if canImport(StoreKit)
  import Foundation
  public import StoreKit

  // StoreKit 2's values as those of this package.

  extension SignedTransaction {
    /// What a transaction says, whether it was verified, and what the store signed.
    public init(_ result: VerificationResult<StoreKit.Transaction>) {
      switch result {
      case .verified(let transaction): self.init(transaction)
      case .unverified(let transaction, let error):
        self.init(transaction)
        verificationError = StoreError(storeKit2: error)
      }
      jws = result.jwsRepresentation
    }

    /// What a transaction says, without what the store signed.
    public init(_ transaction: StoreKit.Transaction) {
      self.init(
        transaction: String(transaction.id), original: String(transaction.originalID),
        product: transaction.productID)
      // As the store's server writes it: one account has one name.
      account = transaction.appAccountToken?.uuidString.lowercased()
      quantity = transaction.purchasedQuantity
      purchasedAt = Timestamp(transaction.purchaseDate)
      expiresAt = transaction.expirationDate.map { Timestamp($0) }
      signedAt = Timestamp(transaction.signedDate)
      revokedAt = transaction.revocationDate.map { Timestamp($0) }
      revocationReason = transaction.revocationReason.map {
        $0 == .developerIssue ? "developerIssue" : "other"
      }
      ownership = transaction.ownershipType == .familyShared ? .familyShared : .purchased
      isUpgraded = transaction.isUpgraded ? true : nil
      subscriptionGroup = transaction.subscriptionGroupID
      price = transaction.price.map { "\($0)" }
      fillFromNewerSystems(transaction)
    }

    private mutating func fillFromNewerSystems(_ transaction: StoreKit.Transaction) {
      if #available(iOS 16, macOS 13, tvOS 16, watchOS 9, *) {
        environment = StoreEnvironment(storeName: transaction.environment.rawValue)
        currency = transaction.currency?.identifier
      } else {
        environment = StoreEnvironment(storeName: transaction.environmentStringRepresentation)
        currency = transaction.currencyCode
      }
      if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
        storefront = transaction.storefront.countryCode
      }
      if #available(iOS 17.2, macOS 14.2, tvOS 17.2, watchOS 10.2, *) {
        offer = transaction.offer?.id
      } else {
        offer = transaction.offerID
      }
    }
  }

  extension StoreError {
    /// What a call of StoreKit 2 threw.
    init(storeKit2 error: any Error) {
      switch error {
      case let error as StoreKitError: self.init(case: error, domain: "StoreKit.StoreKitError")
      case let error as Product.PurchaseError:
        self.init(case: error, domain: "StoreKit.Product.PurchaseError")
      case let error as VerificationResult<StoreKit.Transaction>.VerificationError:
        self.init(case: error, domain: "StoreKit.VerificationResult.VerificationError")
      default: self.init(error)
      }
    }
  }

  extension SubscriptionStatus {
    /// What a status says; nil if StoreKit did not verify it, or does not know its state.
    public init?(_ status: Product.SubscriptionInfo.Status) {
      guard case .verified(let renewal) = status.renewalInfo,
        case .verified = status.transaction, let state = State(status.state)
      else { return nil }
      self.init(
        transaction: SignedTransaction(status.transaction), state: state,
        willAutoRenew: renewal.willAutoRenew, renewsAs: renewal.autoRenewPreference,
        priceIncrease: PriceIncrease(renewal.priceIncreaseStatus),
        gracePeriodExpiresAt: renewal.gracePeriodExpirationDate.map { Timestamp($0) },
        expirationReason: renewal.expirationReason.flatMap { Self.words[$0.rawValue] },
        signedAt: Timestamp(renewal.signedDate), jws: status.renewalInfo.jwsRepresentation)
    }

    /// StoreKit's names of the numbers of `RenewalInfo.ExpirationReason`.
    private static let words: [Int: String] = [
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason.autoRenewDisabled.rawValue:
        "autoRenewDisabled",
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason.billingError.rawValue: "billingError",
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason.didNotConsentToPriceIncrease.rawValue:
        "didNotConsentToPriceIncrease",
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason.productUnavailable.rawValue:
        "productUnavailable",
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason.unknown.rawValue: "unknown",
    ]
  }

  extension SubscriptionStatus.State {
    init?(_ state: Product.SubscriptionInfo.RenewalState) {
      switch state {
      case .subscribed: self = .subscribed
      case .expired: self = .expired
      case .inBillingRetryPeriod: self = .inBillingRetryPeriod
      case .inGracePeriod: self = .inGracePeriod
      case .revoked: self = .revoked
      default: return nil
      }
    }
  }

  extension SubscriptionStatus.PriceIncrease {
    init(_ status: Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus) {
      switch status {
      case .pending: self = .pending
      case .agreed: self = .agreed
      default: self = .none
      }
    }
  }

  extension OfferedProduct {
    /// What the store offers.
    public init(_ product: Product) {
      self.init(
        product: product.id, title: product.displayName, description: product.description,
        price: "\(product.price)")
      if #available(iOS 16, macOS 13, tvOS 16, watchOS 9, *) {
        currency = product.priceFormatStyle.currencyCode
      }
    }
  }
#endif
