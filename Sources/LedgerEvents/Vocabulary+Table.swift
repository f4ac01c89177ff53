extension Vocabulary {
  static func makeRule(_ kind: EventKind) -> Rule {
    Rule(kind: kind, needs: needs(kind), fields: fields(kind))
  }

  // MARK: - Needs

  private static let transactionOrPayment: [Requirement] = [
    .envelope(.transaction), .envelope(.payment),
  ]
  private static let transaction: [Requirement] = [.envelope(.transaction)]
  private static let product: [Requirement] = [.envelope(.product)]
  private static let account: [Requirement] = [.envelope(.account)]
  private static let download: [Requirement] = [.envelope(.download)]

  private static func needs(_ kind: EventKind) -> [[Requirement]] {
    switch kind {
    case .catalogSet: [[.data("products")]]
    case .contentVersionPublished, .contentInstalled: [product, [.data("contentVersion")]]
    case .contentHostingChanged: [product, [.data("hosting")]]
    case .paymentsChecked: [[.data("allowed")]]
    case .paymentAdded, .contentInstallStarted, .contentInstallFailed, .contentActivated,
      .contentRemoved:
      [product]
    case .transactionPurchasing, .transactionDeferred, .transactionFailed, .transactionFinished,
      .transactionRemoved:
      [transactionOrPayment]
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed: [transaction, product]
    case .transactionAssigned: [transaction, account]
    case .purchaseFulfilled, .purchaseFulfillmentFailed, .transactionRefundRequested,
      .transactionRefundDeclined, .transactionRefunded, .transactionRefundReversed,
      .transactionRevoked:
      [transaction]
    case .downloadRequested, .downloadPauseRequested, .downloadResumeRequested,
      .downloadCancelRequested, .downloadWaiting, .downloadProgressed, .downloadPaused,
      .downloadFinished, .downloadFailed, .downloadCancelled:
      [transaction, download]
    case .subscriptionExpired, .subscriptionGracePeriodEntered, .subscriptionBillingFailed,
      .subscriptionBillingRecovered, .subscriptionRenewalExtended, .subscriptionAutoRenewChanged,
      .subscriptionPlanChanged, .subscriptionPriceIncreased, .subscriptionOfferRedeemed:
      [[.envelope(.transaction), .envelope(.originalTransaction)]]
    case .consumableConsumed: [account, [.data("unit")], [.data("amount")]]
    case .entitlementGranted, .entitlementWithdrawn:
      [account, [.data("entitlement"), .envelope(.product)]]
    case .accountLinked, .accountTransferred: [account, [.data("to")]]
    case .accountErased: [account]
    case .storefrontChanged: [[.data("storefront")]]
    case .notificationReceived: [[.data("notificationType")]]
    case .importReceived: [[.data("format")]]
    case .operatorActed: [[.data("action")], [.data("operator")]]
    case .noteAdded: [[.data("text")]]
    case .unknown, .sessionStarted, .sessionBackgrounded, .sessionForegrounded, .sessionEnded,
      .sessionObserverAdded, .sessionObserverRemoved, .catalogRequested, .catalogReceived,
      .catalogFailed, .receiptSubmitted, .receiptAccepted, .receiptRejected, .restoreRequested,
      .restoreCompleted, .restoreFailed, .contentPurged, .productPageRequested,
      .productPagePresented, .productPageFailed, .productPageDismissed:
      []
    }
  }

  // MARK: - Fields

  private static let anyInteger = FieldType.integer(minimum: .min)
  private static let error = Field("error", .error, isPersonal: true)
  private static let reason = Field("reason", .string, isPersonal: true)
  private static let `operator` = Field("operator", .string, isPersonal: true)
  /// Any event can be signed: `model.md` makes every event with `signedAt` a store fact.
  private static let signedAt = Field("signedAt", .time)
  private static let contentVersion = Field("contentVersion", .string)
  private static let contentLength = Field("contentLength", anyInteger)
  private static let contentLengths = Field("contentLengths", .array(of: anyInteger))
  private static let host = Field("host", .oneOf(["store", "own"]))
  private static let hosting = Field(
    "hosting", .oneOf(["waitingForUpload", "readyToSubmit", "approved"]))
  private static let price = Field("price", .money)
  private static let currency = Field("currency", .currency)
  private static let storefront = Field("storefront", .string)
  private static let expiresAt = Field("expiresAt", .time)
  private static let offer = Field("offer", .string)

  private static func fields(_ kind: EventKind) -> [Field] {
    kind == .unknown ? [] : ownFields(kind) + [signedAt]
  }

  private static func ownFields(_ kind: EventKind) -> [Field] {
    switch kind {
    case .sessionStarted, .sessionBackgrounded, .sessionForegrounded, .sessionEnded,
      .sessionObserverAdded, .sessionObserverRemoved:
      session
    case .catalogSet: [Field("products", .array(of: .object(catalogEntry)))]
    case .catalogRequested, .catalogReceived, .catalogFailed: response
    case .contentVersionPublished: [contentVersion, contentLengths]
    case .contentHostingChanged: [hosting, contentVersion]
    case .paymentsChecked: [Field("allowed", .boolean)]
    case .paymentAdded: payment
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed: purchase
    case .transactionFailed: [error, Field("cancelled", .boolean)]
    case .transactionAssigned, .accountErased: [reason, `operator`]
    case .accountLinked, .accountTransferred:
      [Field("to", .name, isPersonal: true), reason, `operator`]
    case .receiptSubmitted, .receiptAccepted, .receiptRejected:
      [Field("status", .integerOrString), error]
    case .purchaseFulfilled, .purchaseFulfillmentFailed, .restoreRequested, .restoreCompleted,
      .restoreFailed:
      [error]
    case .downloadRequested, .downloadPauseRequested, .downloadResumeRequested,
      .downloadCancelRequested:
      [host, contentVersion]
    case .downloadWaiting, .downloadProgressed, .downloadPaused, .downloadFinished,
      .downloadFailed, .downloadCancelled:
      downloadState + [contentVersion, contentLength, host, error]
    case .contentInstallStarted, .contentInstalled, .contentInstallFailed, .contentActivated,
      .contentRemoved:
      install
    case .transactionRefundRequested, .transactionRefundDeclined, .transactionRefunded,
      .transactionRefundReversed, .transactionRevoked:
      [Field("revokedAt", .time), reason, Field("percent", .number(0...100))]
    case .subscriptionExpired, .subscriptionGracePeriodEntered, .subscriptionBillingFailed,
      .subscriptionBillingRecovered, .subscriptionRenewalExtended, .subscriptionAutoRenewChanged,
      .subscriptionPlanChanged, .subscriptionPriceIncreased, .subscriptionOfferRedeemed:
      subscription
    case .consumableConsumed: consumption
    case .entitlementGranted, .entitlementWithdrawn:
      [Field("entitlement", .name), Field("until", .time), reason, `operator`]
    case .productPageRequested, .productPagePresented, .productPageFailed, .productPageDismissed:
      [Field("storeItem", .digits), error]
    case .storefrontChanged: [storefront]
    case .notificationReceived: [Field("notificationType", .string), Field("subtype", .string)]
    case .importReceived: imported
    case .operatorActed:
      [Field("action", .string), `operator`, reason, Field("detail", .any, isPersonal: true)]
    case .noteAdded: [Field("text", .string, isPersonal: true), `operator`]
    case .unknown, .transactionPurchasing, .transactionDeferred, .transactionFinished,
      .transactionRemoved, .contentPurged:
      []
    }
  }

  private static let session: [Field] = [
    Field("appVersion", .string), Field("systemVersion", .string), Field("simulator", .boolean),
    storefront, Field("language", .string), reason,
  ]

  private static let catalogEntry: [Field] = [
    Field("product", .name, isNeeded: true),
    Field(
      "kind", .oneOf(["consumable", "nonConsumable", "autoRenewable", "nonRenewing"]),
      isNeeded: true),
    Field("title", .string), Field("entitlements", .array(of: .name)), Field("grants", .amounts),
    Field("duration", .duration), Field("subscriptionGroup", .string),
    Field("delivery", .oneOf(["builtIn", "ownServer", "store"])),
  ]

  private static let offered: [Field] = [
    Field("product", .name, isNeeded: true), Field("title", .string),
    Field("description", .string), price, currency, Field("priceLocale", .string), storefront,
    Field("downloadable", .boolean), contentVersion, contentLengths,
  ]

  private static let response: [Field] = [
    Field("requested", .array(of: .name)), Field("products", .array(of: .object(offered))),
    Field("invalid", .array(of: .name)), error,
  ]

  private static let payment: [Field] = [
    Field("quantity", anyInteger), Field("askToBuy", .boolean), Field("displayedPrice", .money),
    currency,
  ]

  private static let announced: [Field] = [
    Field("download", .name, isNeeded: true), contentVersion, contentLength, host,
  ]

  /// The three purchase facts share one table, because `model.md` treats them alike.
  private static let purchase: [Field] = [
    Field("quantity", anyInteger), Field("purchasedAt", .time), expiresAt, price, currency,
    storefront, Field("ownership", .oneOf(["purchased", "familyShared"])),
    Field("isUpgraded", .boolean), Field("subscriptionGroup", .string), offer,
    Field("downloads", .array(of: .object(announced))),
  ]

  private static let downloadState: [Field] = [
    Field("progress", .number(0...1)),
    Field("timeRemaining", .number(-Double.infinity ... .infinity)),
    Field("contentURL", .string, isPersonal: true),
  ]

  private static let install: [Field] = [
    contentVersion, Field("path", .string, isPersonal: true), Field("bytes", anyInteger),
    Field("digest", .string), Field("excludedFromBackup", .boolean), error,
  ]

  private static let subscription: [Field] = [
    expiresAt, Field("gracePeriodExpiresAt", .time), Field("autoRenew", .boolean),
    Field("toProduct", .name), reason, Field("consented", .boolean), offer,
  ]

  private static let consumption: [Field] = [
    Field("unit", .name), Field("amount", .integer(minimum: 1)), Field("required", .boolean),
  ]

  private static let imported: [Field] = [
    Field("format", .string), Field("file", .string, isPersonal: true),
    Field("sha256", .string, isPersonal: true), Field("events", anyInteger),
    Field("verified", .boolean),
  ]
}
