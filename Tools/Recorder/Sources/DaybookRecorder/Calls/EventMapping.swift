/// Callbacks in, events out: what each call becomes. It reads no clock and no file.
struct EventMapping: Sendable {
  /// What is remembered from one launch to the next.
  struct Memory: Sendable, Equatable, Codable {
    var payments = PaymentBook()
    var subscriptions = SubscriptionBook()
  }

  var memory: Memory
  /// The source of launches and of their ends.
  let launchSource: EventSource
  /// Names payments.
  private let makeName: @Sendable () -> String

  init(
    memory: Memory = Memory(), launchSource: EventSource = .app,
    makeName: @escaping @Sendable () -> String
  ) {
    self.memory = memory
    self.launchSource = launchSource
    self.makeName = makeName
    self.memory.payments.beginLaunch()
  }

  // MARK: - StoreKit 1

  /// - Parameter signedIn: Whose payment it is that names nobody.
  mutating func events(of call: QueueCall, signedIn: String?) -> [EventDraft] {
    switch call {
    case .observerAdded: [EventDraft(.observerAdded, .storekit1)]
    case .observerRemoved: [EventDraft(.observerRemoved, .storekit1)]
    case .paymentsChecked(let allowed):
      [Self.draft(.paymentsChecked, .storekit1) { $0.set("allowed", allowed) }]
    case .paymentAdded(let payment, let displayed): [add(payment, displayed, signedIn)]
    case .storePayment(let payment, let isAdded): isAdded ? [add(payment, nil, signedIn)] : []
    case .updated(let transaction): [report(transaction)]
    case .finish(let transaction): [close(.finished, transaction)]
    case .removed(let transaction): [close(.removed, transaction)]
    case .startDownload(let download): [ask(.downloadRequested, download)]
    case .pauseDownload(let download): [ask(.downloadPauseRequested, download)]
    case .resumeDownload(let download): [ask(.downloadResumeRequested, download)]
    case .cancelDownload(let download): [ask(.downloadCancelRequested, download)]
    case .updatedDownload(let download): [report(download)]
    case .restore: [EventDraft(.restoreRequested, .storekit1)]
    case .restoreFinished: [EventDraft(.restoreCompleted, .storekit1)]
    case .restoreFailed(let error): [Self.failure(.restoreFailed, .storekit1, error)]
    case .storefrontChanged(let country): [Self.storefront(country, .storekit1)]
    case .entitlementsRevoked: []
    case .productsRequested(let products): [Self.requested(products, .storekit1)]
    case .productsReceived(let products, let invalid):
      [Self.received(products, invalid, .storekit1)]
    case .productsFailed(let error): [Self.failure(.catalogFailed, .storekit1, error)]
    }
  }

  private mutating func add(
    _ payment: QueuePayment, _ displayed: DisplayedPrice?, _ signedIn: String?
  ) -> EventDraft {
    let name = makeName()
    memory.payments.add(payment, account: payment.account ?? signedIn, named: name)
    var draft = Self.payment(
      name, payment.product, payment.quantity, displayed, .storekit1, asksToBuy: payment.asksToBuy)
    if let account = payment.account { draft.owner = .stated(account) }
    return draft
  }

  private mutating func report(_ transaction: QueueTransaction) -> EventDraft {
    let kind: EventKind =
      switch transaction.state {
      case .purchasing: .purchasing
      case .deferred: .deferred
      case .purchased: .purchased
      case .failed: .failed
      case .restored: .restored
      }
    var draft = about(transaction, kind)
    if draft.payment == nil { draft.payment = memory.payments.name(of: transaction) }
    if transaction.state.isDelivered {
      draft.originalTransaction = transaction.original
      draft.data.set("quantity", Int64(transaction.payment.quantity))
      draft.data.set("purchasedAt", transaction.date)
      let downloads = transaction.downloads.filter { !$0.identifier.isEmpty }
      if !downloads.isEmpty { draft.data.set("downloads", .array(downloads.map(\.json))) }
    } else if transaction.state == .failed {
      draft.data.set("cancelled", transaction.error?.isCancellation ?? false)
      draft.data.set("error", transaction.error)
    }
    return draft
  }

  private mutating func close(_ kind: EventKind, _ transaction: QueueTransaction) -> EventDraft {
    let draft = about(transaction, kind)
    if transaction.state == .failed { memory.payments.close(transaction) }
    if kind == .removed { memory.payments.forgetObject(transaction) }
    return draft
  }

  /// An event about a transaction. Until the store has given it an identifier, the name of its
  /// payment stands for it.
  private mutating func about(_ transaction: QueueTransaction, _ kind: EventKind) -> EventDraft {
    var draft = EventDraft(kind, .storekit1)
    draft.owner = .stated(transaction.payment.account)
    draft.product = transaction.payment.product
    draft.transaction = transaction.transaction
    if !transaction.state.isDelivered { draft.payment = memory.payments.name(of: transaction) }
    if draft.transaction == nil, draft.payment == nil {
      // The ledger takes no event that names neither.
      let name = makeName()
      memory.payments.adopt(transaction, named: name)
      draft.payment = name
    }
    return draft
  }

  private mutating func ask(_ kind: EventKind, _ download: QueueDownload) -> EventDraft {
    var draft = about(download.transaction, kind)
    draft.download = download.content.identifier
    return draft
  }

  private mutating func report(_ download: QueueDownload) -> EventDraft {
    let kind: EventKind =
      switch download.state {
      case .waiting: .downloadWaiting
      case .active: .downloadProgressed
      case .paused: .downloadPaused
      case .finished: .downloadFinished
      case .failed: .downloadFailed
      case .cancelled: .downloadCancelled
      }
    var draft = ask(kind, download)
    draft.data.set("progress", download.progress.flatMap(JSON.progress))
    draft.data.set("timeRemaining", download.timeRemaining.flatMap(JSON.seconds))
    draft.data.set("contentVersion", download.content.version)
    draft.data.set("contentURL", download.path)
    draft.data.set("contentLength", download.content.length)
    draft.data.set("error", download.error)
    return draft
  }

  // MARK: - The app

  mutating func events(of call: AppCall) -> [EventDraft] {
    switch call {
    case .launched(let launch): [self.launch(launch)]
    case .backgrounded: [EventDraft(.sessionBackgrounded, launchSource)]
    case .foregrounded: [EventDraft(.sessionForegrounded, launchSource)]
    case .ended(let reason):
      [Self.draft(.sessionEnded, launchSource) { $0.set("reason", reason) }]
    case .receiptSubmitted(let purchase): [Self.about(purchase, .receiptSubmitted)]
    case .receiptAccepted(let purchase, let status):
      [Self.about(purchase, .receiptAccepted) { $0.set("status", status) }]
    case .receiptRejected(let purchase, let status, let error):
      [
        Self.about(purchase, .receiptRejected) {
          $0.set("status", status)
          $0.set("error", error)
        }
      ]
    case .fulfilled(let purchase): [Self.about(purchase, .fulfilled)]
    case .fulfillmentFailed(let purchase, let error):
      [Self.about(purchase, .fulfillmentFailed) { $0.set("error", error) }]
    case .installStarted(let install): [Self.about(install, .installStarted)]
    case .installed(var install, let version):
      [
        {
          install.version = version
          return Self.about(install, .installed)
        }()
      ]
    case .installFailed(let install, let error): [Self.about(install, .installFailed, error)]
    case .activated(let install): [Self.about(install, .activated)]
    case .contentRemoved(let install): [Self.about(install, .contentRemoved)]
    case .cachePurged: [EventDraft(.contentPurged, .app)]
    case .consumed(let unit, let amount, let product, let account):
      [Self.consumption(unit, amount, product, account)]
    }
  }

  private func launch(_ launch: Launch) -> EventDraft {
    Self.draft(.sessionStarted, launchSource) { data in
      data.set("appVersion", launch.appVersion)
      data.set("systemVersion", launch.systemVersion)
      data.set("simulator", launch.isSimulator)
      data.set("storefront", launch.storefront)
      data.set("language", launch.language)
    }
  }

  private static func about(
    _ purchase: Purchase, _ kind: EventKind, _ fill: (inout EventData) -> Void = { _ in }
  ) -> EventDraft {
    var draft = draft(kind, .app, fill)
    draft.owner = .stated(purchase.account)
    draft.product = purchase.product
    draft.transaction = purchase.transaction
    draft.payment = purchase.payment
    return draft
  }

  private static func about(
    _ install: Install, _ kind: EventKind, _ error: StoreError? = nil
  ) -> EventDraft {
    var draft = about(install.purchase, kind) { data in
      data.set("contentVersion", install.version)
      data.set("path", install.path)
      data.set("bytes", install.bytes)
      data.set("digest", install.digest)
      data.set("excludedFromBackup", install.isExcludedFromBackup)
      data.set("error", error)
    }
    draft.download = install.download
    // Content without a transaction, such as what the app brought along, is removed or activated by
    // whoever uses the app.
    if install.purchase.transaction == nil, install.purchase.account == nil {
      draft.owner = .signedIn
    }
    return draft
  }

  private static func consumption(
    _ unit: String, _ amount: Int64, _ product: String?, _ account: String?
  ) -> EventDraft {
    var draft = draft(.consumed, .app) { data in
      data.set("unit", unit)
      if amount > 0 { data.set("amount", amount) }
    }
    draft.product = product
    if let account { draft.owner = .stated(account) }
    return draft
  }
}
