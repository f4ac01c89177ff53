/// The type of an event, as listed in `events.md`. The raw value is the number in the binary
/// record; numbers are never reused. An unknown type has the number 0.
public enum EventKind: UInt8, CaseIterable, Sendable {
  /// A well-formed type that this version does not know. Events of such a type are stored whole,
  /// and the fold ignores them.
  case unknown = 0
  case sessionStarted = 1
  case sessionBackgrounded = 2
  case sessionForegrounded = 3
  case sessionEnded = 4
  case sessionObserverAdded = 5
  case sessionObserverRemoved = 6
  case catalogSet = 7
  case catalogRequested = 8
  case catalogReceived = 9
  case catalogFailed = 10
  case contentVersionPublished = 11
  case paymentsChecked = 12
  case paymentAdded = 13
  case transactionPurchasing = 14
  case transactionDeferred = 15
  case transactionPurchased = 16
  case transactionRestored = 17
  case transactionFailed = 18
  case transactionFinished = 19
  case transactionRemoved = 20
  case transactionAssigned = 21
  case receiptSubmitted = 22
  case receiptAccepted = 23
  case receiptRejected = 24
  case purchaseFulfilled = 25
  case purchaseFulfillmentFailed = 26
  case restoreRequested = 27
  case restoreCompleted = 28
  case restoreFailed = 29
  case downloadRequested = 30
  case downloadPauseRequested = 31
  case downloadResumeRequested = 32
  case downloadCancelRequested = 33
  case downloadWaiting = 34
  case downloadProgressed = 35
  case downloadPaused = 36
  case downloadFinished = 37
  case downloadFailed = 38
  case downloadCancelled = 39
  case contentInstallStarted = 40
  case contentInstalled = 41
  case contentInstallFailed = 42
  case contentActivated = 43
  case contentRemoved = 44
  case contentPurged = 45
  case transactionRefundRequested = 46
  case transactionRefundDeclined = 47
  case transactionRefunded = 48
  case transactionRefundReversed = 49
  case transactionRevoked = 50
  case subscriptionRenewed = 51
  case subscriptionExpired = 52
  case subscriptionGracePeriodEntered = 53
  case subscriptionBillingFailed = 54
  case subscriptionBillingRecovered = 55
  case subscriptionRenewalExtended = 56
  case subscriptionAutoRenewChanged = 57
  case subscriptionPlanChanged = 58
  case subscriptionPriceIncreased = 59
  case subscriptionOfferRedeemed = 60
  case consumableConsumed = 61
  case entitlementGranted = 62
  case entitlementWithdrawn = 63
  case accountLinked = 64
  case accountTransferred = 65
  case accountErased = 66
  case productPageRequested = 67
  case productPagePresented = 68
  case productPageFailed = 69
  case productPageDismissed = 70
  case storefrontChanged = 71
  case notificationReceived = 72
  case importReceived = 73
  case operatorActed = 74
  case noteAdded = 75
  case contentHostingChanged = 76
}

extension EventKind {
  /// The type as it appears in events, `subject.verb`; empty for `unknown`.
  public var text: String {
    switch self {
    case .unknown: ""
    case .sessionStarted: "session.started"
    case .sessionBackgrounded: "session.backgrounded"
    case .sessionForegrounded: "session.foregrounded"
    case .sessionEnded: "session.ended"
    case .sessionObserverAdded: "session.observerAdded"
    case .sessionObserverRemoved: "session.observerRemoved"
    case .catalogSet: "catalog.set"
    case .catalogRequested: "catalog.requested"
    case .catalogReceived: "catalog.received"
    case .catalogFailed: "catalog.failed"
    case .contentVersionPublished: "content.versionPublished"
    case .paymentsChecked: "payments.checked"
    case .paymentAdded: "payment.added"
    case .transactionPurchasing: "transaction.purchasing"
    case .transactionDeferred: "transaction.deferred"
    case .transactionPurchased: "transaction.purchased"
    case .transactionRestored: "transaction.restored"
    case .transactionFailed: "transaction.failed"
    case .transactionFinished: "transaction.finished"
    case .transactionRemoved: "transaction.removed"
    case .transactionAssigned: "transaction.assigned"
    case .receiptSubmitted: "receipt.submitted"
    case .receiptAccepted: "receipt.accepted"
    case .receiptRejected: "receipt.rejected"
    case .purchaseFulfilled: "purchase.fulfilled"
    case .purchaseFulfillmentFailed: "purchase.fulfillmentFailed"
    case .restoreRequested: "restore.requested"
    case .restoreCompleted: "restore.completed"
    case .restoreFailed: "restore.failed"
    case .downloadRequested: "download.requested"
    case .downloadPauseRequested: "download.pauseRequested"
    case .downloadResumeRequested: "download.resumeRequested"
    case .downloadCancelRequested: "download.cancelRequested"
    case .downloadWaiting: "download.waiting"
    case .downloadProgressed: "download.progressed"
    case .downloadPaused: "download.paused"
    case .downloadFinished: "download.finished"
    case .downloadFailed: "download.failed"
    case .downloadCancelled: "download.cancelled"
    case .contentInstallStarted: "content.installStarted"
    case .contentInstalled: "content.installed"
    case .contentInstallFailed: "content.installFailed"
    case .contentActivated: "content.activated"
    case .contentRemoved: "content.removed"
    case .contentPurged: "content.purged"
    case .transactionRefundRequested: "transaction.refundRequested"
    case .transactionRefundDeclined: "transaction.refundDeclined"
    case .transactionRefunded: "transaction.refunded"
    case .transactionRefundReversed: "transaction.refundReversed"
    case .transactionRevoked: "transaction.revoked"
    case .subscriptionRenewed: "subscription.renewed"
    case .subscriptionExpired: "subscription.expired"
    case .subscriptionGracePeriodEntered: "subscription.gracePeriodEntered"
    case .subscriptionBillingFailed: "subscription.billingFailed"
    case .subscriptionBillingRecovered: "subscription.billingRecovered"
    case .subscriptionRenewalExtended: "subscription.renewalExtended"
    case .subscriptionAutoRenewChanged: "subscription.autoRenewChanged"
    case .subscriptionPlanChanged: "subscription.planChanged"
    case .subscriptionPriceIncreased: "subscription.priceIncreased"
    case .subscriptionOfferRedeemed: "subscription.offerRedeemed"
    case .consumableConsumed: "consumable.consumed"
    case .entitlementGranted: "entitlement.granted"
    case .entitlementWithdrawn: "entitlement.withdrawn"
    case .accountLinked: "account.linked"
    case .accountTransferred: "account.transferred"
    case .accountErased: "account.erased"
    case .productPageRequested: "productPage.requested"
    case .productPagePresented: "productPage.presented"
    case .productPageFailed: "productPage.failed"
    case .productPageDismissed: "productPage.dismissed"
    case .storefrontChanged: "storefront.changed"
    case .notificationReceived: "notification.received"
    case .importReceived: "import.received"
    case .operatorActed: "operator.acted"
    case .noteAdded: "note.added"
    case .contentHostingChanged: "content.hostingChanged"
    }
  }

  /// The kind of each type in the vocabulary, by its text.
  public static let byText: [String: EventKind] = Dictionary(
    uniqueKeysWithValues: allCases.filter { $0 != .unknown }.map { ($0.text, $0) })
}
