extension EventMapping {
  mutating func events(of call: PurchaseCall) -> [EventDraft] {
    switch call {
    case .productsRequested(let products): [Self.requested(products, .storekit2)]
    case .productsReceived(let products, let invalid):
      [Self.received(products, invalid, .storekit2)]
    case .productsFailed(let error): [Self.failure(.catalogFailed, .storekit2, error)]
    case .purchase(let payment, let product, let quantity, let displayed):
      [Self.payment(payment, product, quantity, displayed, .storekit2)]
    case .purchased(let result, let payment, let product):
      [Self.outcome(result, payment, product)]
    case .purchaseFailed(let error, let payment, let product):
      [Self.failed(payment, product, error: error, isCancelled: error.isCancellation)]
    case .updated(let transaction), .unfinished(let transaction):
      [Self.delivered(transaction, payment: nil)]
    case .currentEntitlement: []
    case .finish(let transaction): [Self.about(transaction, .finished)]
    case .statusUpdated(let status):
      memory.subscriptions.changes(to: status).map { Self.change($0, status) }
    case .restore: [EventDraft(.restoreRequested, .storekit2)]
    case .restoreFinished: [EventDraft(.restoreCompleted, .storekit2)]
    case .restoreFailed(let error): [Self.failure(.restoreFailed, .storekit2, error)]
    case .refundRequested(let transaction): [Self.about(transaction, .refundRequested)]
    case .storefrontChanged(let country): [Self.storefront(country, .storekit2)]
    }
  }

  private static func outcome(
    _ result: PurchaseResult, _ payment: String, _ product: String
  ) -> EventDraft {
    switch result {
    case .success(let transaction): return delivered(transaction, payment: payment)
    case .userCancelled: return failed(payment, product, error: nil, isCancelled: true)
    case .pending:
      var draft = EventDraft(.deferred, .storekit2)
      draft.payment = payment
      draft.product = product
      return draft
    }
  }

  private static func failed(
    _ payment: String, _ product: String, error: StoreError?, isCancelled: Bool
  ) -> EventDraft {
    var draft = draft(.failed, .storekit2) { data in
      data.set("cancelled", isCancelled)
      data.set("error", error)
    }
    draft.payment = payment
    draft.product = product
    return draft
  }

  /// A transaction that StoreKit hands over: a purchase, what became of one, or a forgery.
  private static func delivered(
    _ transaction: SignedTransaction, payment: String?
  ) -> EventDraft {
    if let error = transaction.verificationError {
      // A transaction whose signature is not valid is no purchase: nothing that it says is
      // believed. It names no transaction, because whoever is named first with one owns it.
      var draft = EventDraft(.receiptRejected, .storekit2)
      draft.owner = .stated(nil)
      draft.payment = payment
      draft.product = transaction.product
      draft.data.set("claimedTransaction", transaction.transaction)
      draft.data.set("error", error)
      draft.data.set(Self.signedTransaction, transaction.jws)
      return draft
    }
    if let revokedAt = transaction.revokedAt {
      let isFamily = transaction.ownership == .familyShared
      var draft = about(transaction, isFamily ? .revoked : .refunded)
      draft.data.set("revokedAt", revokedAt)
      draft.data.set("reason", transaction.revocationReason)
      draft.data.set("signedAt", transaction.signedAt)
      draft.data.set(Self.signedTransaction, transaction.jws)
      return draft
    }
    var draft = about(transaction, .purchased)
    draft.payment = payment
    draft.data.set("quantity", transaction.quantity.map(Int64.init))
    draft.data.set("purchasedAt", transaction.purchasedAt)
    draft.data.set("expiresAt", transaction.expiresAt)
    draft.data.set("price", amount: transaction.price)
    draft.data.set("currency", transaction.currency)
    draft.data.set("storefront", transaction.storefront)
    draft.data.set("ownership", transaction.ownership?.rawValue)
    draft.data.set("isUpgraded", transaction.isUpgraded)
    draft.data.set("subscriptionGroup", transaction.subscriptionGroup)
    draft.data.set("offer", transaction.offer)
    draft.data.set("signedAt", transaction.signedAt)
    draft.data.set(Self.signedTransaction, transaction.jws)
    return draft
  }

  private static func about(_ transaction: SignedTransaction, _ kind: EventKind) -> EventDraft {
    var draft = EventDraft(kind, .storekit2)
    draft.owner = .stated(transaction.account)
    draft.environment = transaction.environment
    draft.product = transaction.product
    draft.transaction = transaction.transaction
    draft.originalTransaction = transaction.original
    return draft
  }

  private static func change(
    _ change: SubscriptionBook.Change, _ status: SubscriptionStatus
  ) -> EventDraft {
    var draft = about(status.transaction, change.kind)
    switch change {
    case .expired:
      draft.data.set("expiresAt", status.transaction.expiresAt)
      draft.data.set("reason", status.expirationReason)
    case .gracePeriodEntered:
      draft.data.set("gracePeriodExpiresAt", status.gracePeriodExpiresAt)
    case .billingFailed, .billingRecovered:
      draft.data.set("expiresAt", status.transaction.expiresAt)
    case .autoRenewChanged: draft.data.set("autoRenew", status.willAutoRenew)
    case .planChanged: draft.data.set("toProduct", status.renewsAs)
    case .priceIncreased: draft.data.set("consented", status.priceIncrease == .agreed)
    }
    draft.data.set("signedAt", status.signedAt)
    draft.data.set(Self.signedRenewal, status.jws)
    return draft
  }

  /// The members of `data` that keep what the store signed, under the names that the App Store
  /// Server API has for them. `daybook import` reads objects of them (`docs/recording.md`).
  static let signedTransaction = "signedTransactionInfo"
  static let signedRenewal = "signedRenewalInfo"

  // MARK: - What both have

  static func draft(
    _ kind: EventKind, _ source: EventSource, _ fill: (inout EventData) -> Void
  ) -> EventDraft {
    var draft = EventDraft(kind, source)
    fill(&draft.data)
    return draft
  }

  static func failure(
    _ kind: EventKind, _ source: EventSource, _ error: StoreError
  ) -> EventDraft {
    draft(kind, source) { $0.set("error", error) }
  }

  static func storefront(_ country: String, _ source: EventSource) -> EventDraft {
    draft(.storefrontChanged, source) { $0.set("storefront", country) }
  }

  static func payment(
    _ name: String, _ product: String, _ quantity: Int?, _ displayed: DisplayedPrice?,
    _ source: EventSource, asksToBuy: Bool? = nil
  ) -> EventDraft {
    var draft = draft(.paymentAdded, source) { data in
      data.set("quantity", quantity.map(Int64.init))
      data.set("askToBuy", asksToBuy)
      data.set("displayedPrice", amount: displayed?.price)
      data.set("currency", displayed?.currency)
    }
    draft.payment = name
    draft.product = product
    return draft
  }

  static func requested(_ products: [String], _ source: EventSource) -> EventDraft {
    draft(.catalogRequested, source) { $0.set("requested", texts: products) }
  }

  static func received(
    _ products: [OfferedProduct], _ invalid: [String], _ source: EventSource
  ) -> EventDraft {
    draft(.catalogReceived, source) { data in
      data.set("products", .array(products.filter { !$0.product.isEmpty }.map(\.json)))
      data.set("invalid", texts: invalid)
    }
  }
}
