@testable import DaybookRecorder

/// A recorder that writes to a disk in memory, with a clock that counts seconds and ids that count.
struct TestRecorder {
  let recorder: Recorder
  let disk: MemoryDisk

  init(
    _ disk: MemoryDisk = MemoryDisk(), session: String = "launch-1",
    limits: SpoolLimits = SpoolLimits(),
    set: (inout RecorderSettings) -> Void = { _ in }
  ) throws {
    self.disk = disk
    var settings = RecorderSettings(app: "com.example.trails", device: "phone-1")
    settings.session = session
    set(&settings)
    let count = Locked(0)
    let payments = Locked(0)
    var sources = RecorderSources()
    sources.now = {
      let seconds = count.withLock { count in
        count += 1
        return count
      }
      return Timestamp(microseconds: 1_772_359_200_000_000 + Int64(seconds) * 1_000_000)
    }
    sources.makeID = { time in UUIDv7.make(at: time, random: (1, 2)) }
    sources.makePaymentName = {
      payments.withLock { count in
        count += 1
        return "\(session)-tap-\(count)"
      }
    }
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    recorder = Recorder(settings, spool: spool, account: "hiker-1", sources: sources)
  }
}

/// Every callback and every call once, with everything that it can carry.
enum EveryCall {
  static let time = Timestamp(microseconds: 1_772_359_200_250_000)
  static let payment = QueuePayment(
    product: "com.example.trails.alps", account: "hiker-1", asksToBuy: true)
  static let content = HostedContent(identifier: "alps-1", version: "2.0", length: 146_800_640)
  static let network = StoreError(
    domain: "NSURLErrorDomain", code: -1_005, message: "The network connection was lost.",
    underlying: [StoreError(domain: "kCFErrorDomainCFNetwork", code: -1_005)])

  static func transaction(_ state: QueueTransaction.State) -> QueueTransaction {
    var transaction = QueueTransaction(object: 1, state: state, payment: payment)
    if state.isDelivered {
      transaction.transaction = "2000000201"
      transaction.date = time
      transaction.downloads = [content]
    }
    if state == .restored {
      transaction.object = 2
      transaction.transaction = "2000000399"
      transaction.original = "2000000201"
    }
    if state == .failed {
      transaction.object = 3
      transaction.error = StoreError(domain: "SKErrorDomain", code: 2)
    }
    return transaction
  }

  static func download(_ state: QueueDownload.State) -> QueueDownload {
    QueueDownload(
      transaction: transaction(.purchased), content: content, state: state,
      progress: state == .finished ? 1.02 : 0.31, timeRemaining: state == .waiting ? -1 : 42.5,
      path: state == .finished ? "Library/Caches/alps.zip" : nil,
      error: state == .failed ? network : nil)
  }

  static let queue: [QueueCall] = [
    .observerAdded, .productsRequested(["com.example.trails.alps", "com.example.trails.lost"]),
    .productsReceived(
      [
        OfferedProduct(
          product: "com.example.trails.alps", title: "Alps", description: "Maps", price: "7.99",
          currency: "EUR", priceLocale: "de_DE", storefront: "DEU", isDownloadable: true,
          contentVersion: "2.0", contentLengths: [146_800_640])
      ], invalid: ["com.example.trails.lost"]),
    .productsFailed(network), .paymentsChecked(allowed: true),
    .paymentAdded(payment, displayed: DisplayedPrice(price: "7.99", currency: "EUR")),
    .storePayment(payment, isAdded: true), .storePayment(payment, isAdded: false),
    .updated(transaction(.purchasing)), .updated(transaction(.deferred)),
    .updated(transaction(.purchased)), .updated(transaction(.failed)),
    .finish(transaction(.failed)), .removed(transaction(.failed)), .restore,
    .updated(transaction(.restored)), .finish(transaction(.restored)), .restoreFinished,
    .restoreFailed(network), .startDownload(download(.waiting)),
    .updatedDownload(download(.waiting)), .updatedDownload(download(.active)),
    .pauseDownload(download(.active)), .updatedDownload(download(.paused)),
    .resumeDownload(download(.paused)), .updatedDownload(download(.failed)),
    .cancelDownload(download(.active)), .updatedDownload(download(.cancelled)),
    .updatedDownload(download(.finished)), .storefrontChanged("AUT"),
    .entitlementsRevoked(["com.example.trails.alps"]), .observerRemoved,
  ]

  static let app: [AppCall] = {
    let purchase = Purchase(transaction(.purchased))
    let install = Install(
      purchase, download: "alps-1", version: "2.0", path: "Maps/alps/2.0", bytes: 146_800_640,
      digest: "sha256:00", isExcludedFromBackup: true)
    return [
      .launched(
        Launch(
          appVersion: "3.2", systemVersion: "26.1", isSimulator: false, storefront: "DEU",
          language: "de")),
      .backgrounded, .foregrounded, .receiptSubmitted(purchase),
      .receiptRejected(purchase, status: 21_003, network), .receiptAccepted(purchase, status: 0),
      .installStarted(install), .installFailed(install, network),
      .installed(install, version: "2.0"),
      .activated(install), .fulfillmentFailed(purchase, network), .fulfilled(purchase),
      .contentRemoved(Install(Purchase(product: "com.example.trails.alps"))), .cachePurged,
      .consumed(unit: "routes", amount: 1, product: "com.example.trails.routes10"),
      .ended(reason: "quit"),
    ]
  }()

  static func signed(_ fill: (inout SignedTransaction) -> Void = { _ in }) -> SignedTransaction {
    var signed = SignedTransaction(
      transaction: "2000000401", original: "2000000401", product: "com.example.trails.plus")
    signed.environment = .production
    signed.account = "hiker-1"
    signed.quantity = 1
    signed.purchasedAt = time
    signed.expiresAt = Timestamp(microseconds: time.microseconds + 2_592_000_000_000)
    signed.signedAt = time
    signed.price = "4.99"
    signed.currency = "EUR"
    signed.storefront = "DEU"
    signed.ownership = .purchased
    signed.isUpgraded = false
    signed.subscriptionGroup = "plus"
    signed.offer = "winter"
    signed.jws = "header.payload.signature"
    fill(&signed)
    return signed
  }

  static func status(
    _ state: SubscriptionStatus.State, renews: Bool = true,
    fill: (inout SubscriptionStatus) -> Void = { _ in }
  ) -> SubscriptionStatus {
    var status = SubscriptionStatus(
      transaction: signed(), state: state, willAutoRenew: renews,
      renewsAs: "com.example.trails.plus",
      signedAt: time, jws: "header.renewal.signature")
    fill(&status)
    return status
  }

  static let purchases: [PurchaseCall] = {
    let product = "com.example.trails.plus"
    return [
      .productsRequested([product]),
      .productsReceived(
        [OfferedProduct(product: product, price: "4.99", currency: "EUR")], invalid: []),
      .productsFailed(network),
      .purchase(
        payment: "tap-4", product: product,
        displayed: DisplayedPrice(price: "4.99", currency: "EUR")),
      .purchased(.success(signed()), payment: "tap-4", product: product),
      .purchased(.userCancelled, payment: "tap-5", product: product),
      .purchased(.pending, payment: "tap-6", product: product),
      .purchaseFailed(network, payment: "tap-7", product: product),
      .purchased(
        .success(
          signed {
            $0.verificationError = StoreError(domain: "VerificationError", code: 1)
            $0.transaction = "2000000402"
          }), payment: "tap-8", product: product),
      .updated(signed()), .unfinished(signed()), .currentEntitlement(signed()),
      .updated(
        signed {
          $0.revokedAt = time
          $0.revocationReason = "developerIssue"
        }),
      .updated(
        signed {
          $0.revokedAt = time
          $0.ownership = .familyShared
        }),
      .finish(signed()), .statusUpdated(status(.subscribed)),
      .statusUpdated(status(.subscribed, renews: false)),
      .statusUpdated(
        status(.inGracePeriod, renews: false) { $0.gracePeriodExpiresAt = time }),
      .statusUpdated(status(.inBillingRetryPeriod, renews: false)),
      .statusUpdated(
        status(.subscribed) {
          $0.renewsAs = "com.example.trails.plus.yearly"
          $0.priceIncrease = .pending
        }),
      .statusUpdated(status(.expired) { $0.expirationReason = "billingError" }), .restore,
      .restoreFinished, .restoreFailed(network), .refundRequested(signed()),
      .storefrontChanged("DEU"),
    ]
  }()

  /// All of them, in one launch.
  static func record(with recorder: Recorder) throws {
    for call in app.prefix(3) { try recorder.record(app: call) }
    for call in queue { try recorder.record(storeKit1: call) }
    for call in purchases { try recorder.record(storeKit2: call) }
    for call in app.dropFirst(3) { try recorder.record(app: call) }
  }
}
