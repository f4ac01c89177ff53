import LedgerEvents

/// The calls that `docs/recording.md` shows, in its order: each Swift block of the page stands here
/// word for word, and the JSON block after it is what the call writes.
enum RecordingCalls {
  typealias Call = @Sendable (inout Recorder) -> Void

  static let all: [Call] = launch + storeKit1 + downloads + storeKit2 + afterwards

  // MARK: - Launch

  private static let launch: [Call] = [
    { recorder in
      recorder.record(
        .sessionStarted, .app,
        [
          "appVersion": .string("3.2"), "systemVersion": .string("26.1"),
          "storefront": .string("DEU"),
        ])
      recorder.record(.sessionObserverAdded, .storekit1)
    }
  ]

  // MARK: - StoreKit 1

  private static let storeKit1: [Call] = [
    { recorder in
      recorder.record(
        .catalogRequested, .storekit1,
        ["requested": .array([.string("com.example.trails.alps")])])
      recorder.record(
        .catalogReceived, .storekit1,
        [
          "products": .array([
            .object([
              ("product", .string("com.example.trails.alps")), ("price", .string("7.99")),
              ("currency", .string("EUR")), ("priceLocale", .string("de_DE")),
              ("downloadable", .boolean(true)), ("contentVersion", .string("2.0")),
            ])
          ]),
          "invalid": .array([]),
        ])
    },
    { recorder in
      recorder.record(.paymentsChecked, .storekit1, ["allowed": .boolean(true)])
      recorder.record(
        .paymentAdded, .storekit1, payment: "tap-1", product: "com.example.trails.alps",
        ["quantity": .number("1"), "displayedPrice": .string("7.99"), "currency": .string("EUR")])
    },
    { recorder in
      recorder.record(
        .transactionPurchasing, .storekit1, payment: "tap-1", product: "com.example.trails.alps")
    },
    { recorder in
      recorder.record(
        .transactionPurchased, .storekit1, payment: "tap-1", product: "com.example.trails.alps",
        transaction: "2000000201",
        [
          "quantity": .number("1"), "purchasedAt": .string("2026-03-01T10:00:06Z"),
          "downloads": .array([
            .object([("download", .string("alps-1")), ("contentVersion", .string("2.0"))])
          ]),
        ])
    },
    { recorder in
      recorder.record(
        .transactionDeferred, .storekit1, payment: "tap-2", product: "com.example.trails.coast")
    },
    { recorder in
      recorder.record(
        .transactionFailed, .storekit1, payment: "tap-3", product: "com.example.trails.coast",
        [
          "error": .object([("domain", .string("SKErrorDomain")), ("code", .number("2"))]),
          "cancelled": .boolean(true),
        ])
      recorder.record(
        .transactionFinished, .storekit1, payment: "tap-3", product: "com.example.trails.coast")
    },
    { recorder in
      recorder.record(.restoreRequested, .storekit1)
      recorder.record(
        .transactionRestored, .storekit1, product: "com.example.trails.plus.monthly",
        transaction: "2000000399", original: "2000000301")
      recorder.record(.restoreCompleted, .storekit1)
      recorder.record(.transactionFinished, .storekit1, transaction: "2000000399")
    },
    { recorder in
      recorder.record(.storefrontChanged, .storekit1, ["storefront": .string("AUT")])
    },
  ]

  // MARK: - Receipts, fulfilment, downloads

  private static let downloads: [Call] = [
    { recorder in
      recorder.record(.receiptSubmitted, .app, transaction: "2000000201")
      recorder.record(.receiptAccepted, .app, transaction: "2000000201", ["status": .number("0")])
      recorder.record(
        .purchaseFulfilled, .app, product: "com.example.trails.alps", transaction: "2000000201")
    },
    { recorder in
      recorder.record(
        .downloadRequested, .storekit1, transaction: "2000000201", download: "alps-1")
      recorder.record(.downloadWaiting, .storekit1, transaction: "2000000201", download: "alps-1")
      recorder.record(
        .downloadProgressed, .storekit1, transaction: "2000000201", download: "alps-1",
        ["progress": .number("0.31"), "timeRemaining": .number("42")])
      recorder.record(
        .downloadFinished, .storekit1, transaction: "2000000201", download: "alps-1",
        ["contentVersion": .string("2.0"), "contentLength": .number("146800640")])
    },
    { recorder in
      recorder.record(
        .contentInstallStarted, .app, product: "com.example.trails.alps",
        transaction: "2000000201", download: "alps-1", ["contentVersion": .string("2.0")])
      recorder.record(
        .contentInstalled, .app, product: "com.example.trails.alps", transaction: "2000000201",
        download: "alps-1",
        [
          "contentVersion": .string("2.0"), "path": .string("Maps/alps/2.0"),
          "excludedFromBackup": .boolean(true),
        ])
      recorder.record(
        .contentActivated, .app, product: "com.example.trails.alps",
        ["contentVersion": .string("2.0")])
    },
    { recorder in
      recorder.record(.transactionFinished, .storekit1, transaction: "2000000201")
      recorder.record(.transactionRemoved, .storekit1, transaction: "2000000201")
    },
  ]

  // MARK: - StoreKit 2

  private static let storeKit2: [Call] = [
    { recorder in
      recorder.record(
        .catalogRequested, .storekit2,
        ["requested": .array([.string("com.example.trails.routes10")])])
      recorder.record(
        .catalogReceived, .storekit2,
        [
          "products": .array([
            .object([
              ("product", .string("com.example.trails.routes10")), ("price", .string("1.99")),
              ("currency", .string("EUR")),
            ])
          ])
        ])
    },
    { recorder in
      recorder.record(
        .paymentAdded, .storekit2, payment: "tap-4", product: "com.example.trails.routes10")
      recorder.record(
        .transactionPurchased, .storekit2, payment: "tap-4",
        product: "com.example.trails.routes10", transaction: "2000000401",
        original: "2000000401", environment: .production,
        [
          "purchasedAt": .string("2026-03-01T10:00:36Z"), "price": .string("1.99"),
          "currency": .string("EUR"), "storefront": .string("DEU"),
          "ownership": .string("purchased"), "signedAt": .string("2026-03-01T10:00:37Z"),
        ])
    },
    { recorder in
      recorder.record(
        .transactionFailed, .storekit2, payment: "tap-5", product: "com.example.trails.coast",
        ["cancelled": .boolean(true)])
      recorder.record(
        .transactionDeferred, .storekit2, payment: "tap-6", product: "com.example.trails.coast")
    },
    { recorder in
      recorder.record(
        .receiptRejected, .storekit2, product: "com.example.trails.routes10",
        [
          "claimedTransaction": .string("2000000402"),
          "error": .object([("domain", .string("VerificationError")), ("code", .number("1"))]),
        ])
    },
    { recorder in
      recorder.record(
        .transactionRefunded, .storekit2, product: "com.example.trails.coast",
        transaction: "2000000400", original: "2000000400", environment: .production,
        [
          "revokedAt": .string("2026-02-28T09:00:00Z"),
          "signedAt": .string("2026-03-01T10:00:41Z"),
        ])
    },
    { recorder in
      recorder.record(
        .purchaseFulfilled, .app, product: "com.example.trails.routes10",
        transaction: "2000000401")
      recorder.record(.transactionFinished, .storekit2, transaction: "2000000401")
    },
    { recorder in
      recorder.record(.restoreRequested, .storekit2)
      recorder.record(.restoreCompleted, .storekit2)
    },
    { recorder in
      recorder.record(
        .subscriptionAutoRenewChanged, .storekit2, product: "com.example.trails.plus.monthly",
        original: "2000000301", environment: .production,
        ["autoRenew": .boolean(false), "signedAt": .string("2026-03-01T10:00:46Z")])
    },
  ]

  // MARK: - Afterwards

  private static let afterwards: [Call] = [
    { recorder in
      recorder.record(
        .consumableConsumed, .app, product: "com.example.trails.routes10",
        ["unit": .string("routes"), "amount": .number("1")])
    },
    { recorder in
      recorder.record(
        .transactionRefundRequested, .storekit2, product: "com.example.trails.alps",
        transaction: "2000000201")
    },
  ]
}
