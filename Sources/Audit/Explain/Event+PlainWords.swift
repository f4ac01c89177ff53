package import LedgerEvents

extension Event {
  /// A description of the event for people who know the customer and not the format. It says if
  /// nobody verified what the store signs.
  package var plainWords: String {
    let isUnverified = data.boolean("verified") == false && type.kind != .importReceived
    return isUnverified ? words + " (not verified)" : words
  }

  private var words: String {
    switch type.kind {
    case .catalogSet: "the seller's catalogue describes \(catalogueText)"
    case .paymentAdded: "the app asked for a purchase of \(what)"
    case .transactionPurchasing: "\(who) began the purchase of \(what)"
    case .transactionDeferred: "the purchase of \(what) is waiting for approval"
    case .transactionPurchased:
      "\(who) reported the purchase of \(what), transaction \(which)\(ending)\(upgraded)"
    case .transactionRestored: "\(who) restored \(what), transaction \(which)\(ending)"
    case .transactionFailed: "\(who) reported that the purchase of \(what) failed\(failure)"
    case .transactionFinished: "the app finished transaction \(which)"
    case .transactionAssigned:
      "\(actor) assigned transaction \(which) to \(account?.text ?? "nobody")\(because)"
    case .transactionRefunded: "\(who) refunded transaction \(which)\(percent)\(because)"
    case .transactionRefundReversed: "\(who) reversed the refund of transaction \(which)"
    case .transactionRevoked: "\(who) revoked transaction \(which)\(because)"
    case .subscriptionRenewed:
      "\(who) reported the renewal of \(what), transaction \(which)\(ending)"
    case .subscriptionExpired: "\(who) reported that the subscription \(chain) expired\(ending)"
    case .subscriptionGracePeriodEntered:
      "\(who) gave the subscription \(chain) a grace period"
        + (data.string("gracePeriodExpiresAt").map { " until \($0)" } ?? "")
    case .subscriptionBillingFailed: "\(who) could not charge the subscription \(chain)"
    case .subscriptionBillingRecovered:
      "\(who) charged the subscription \(chain) after all\(ending)"
    case .subscriptionRenewalExtended: "\(who) extended the subscription \(chain)\(ending)"
    case .entitlementGranted:
      "\(actor) granted \(granted)"
        + (data.string("until").map { " until \($0)" } ?? "") + because
    case .entitlementWithdrawn: "\(actor) withdrew \(granted)\(because)"
    case .accountLinked: "\(actor) linked \(account?.text ?? "-") and \(to)\(because)"
    case .accountTransferred:
      "\(actor) transferred everything that \(account?.text ?? "-") held to \(to)\(because)"
    case .accountErased: "\(account?.text ?? "-") was erased\(because)"
    case .sessionStarted: "the app was launched on \(device?.text ?? "a device")"
    default: moreWords ?? type.text
    }
  }

  /// The text for events that decide less often.
  private var moreWords: String? {
    sessionWords ?? storeWords ?? queueWords ?? contentWords ?? customerWords
  }

  private var sessionWords: String? {
    switch type.kind {
    case .sessionBackgrounded: "the app left the foreground on \(deviceText)"
    case .sessionForegrounded: "the app came back to the foreground on \(deviceText)"
    case .sessionEnded: "the app ended on \(deviceText)\(because)"
    case .sessionObserverAdded: "the app began to observe the queue of \(deviceText)"
    case .sessionObserverRemoved: "the app stopped observing the queue of \(deviceText)"
    case .storefrontChanged:
      "the storefront of \(deviceText) changed to \(data.string("storefront") ?? "another one")"
    case .paymentsChecked:
      data.boolean("allowed") == false
        ? "\(deviceText) does not allow payments" : "\(deviceText) allows payments"
    case .catalogRequested: "the app asked the store for products"
    case .catalogReceived: "the store described products to \(deviceText)"
    case .catalogFailed: "the store described no products to \(deviceText)\(failure)"
    case .productPageRequested: "the app asked for a product page of the store"
    case .productPagePresented: "the app presented a product page of the store"
    case .productPageFailed: "a product page of the store could not be presented\(failure)"
    case .productPageDismissed: "a product page of the store was dismissed"
    default: nil
    }
  }

  private var storeWords: String? {
    switch type.kind {
    case .transactionRefundRequested:
      "\(who) reported a request to refund transaction \(which)\(because)"
    case .transactionRefundDeclined:
      "\(who) reported that the refund of transaction \(which) was declined\(because)"
    case .subscriptionAutoRenewChanged:
      "\(who) reported that automatic renewal of the subscription \(chain) was switched "
        + (data.boolean("autoRenew") == false ? "off" : "on")
    case .subscriptionPlanChanged:
      "\(who) reported that the subscription \(chain) will change"
        + (data.string("toProduct").map { " to \($0)" } ?? "")
    case .subscriptionPriceIncreased:
      "\(who) reported a price increase of the subscription \(chain)"
        + (data.boolean("consented").map { $0 ? ", with consent" : ", without consent" } ?? "")
    case .subscriptionOfferRedeemed:
      "\(who) reported that an offer was redeemed for the subscription \(chain)"
    case .notificationReceived:
      "the store's server sent a notification "
        + (data.string("notificationType") ?? "of an unknown type")
    case .receiptSubmitted: "the app sent its receipt to the backend"
    case .receiptAccepted: "the backend accepted the receipt"
    case .receiptRejected: "the backend rejected the receipt\(failure)"
    default: nil
    }
  }

  private var queueWords: String? {
    switch type.kind {
    case .transactionRemoved: "transaction \(which) left the queue"
    case .purchaseFulfilled: "what transaction \(which) paid for was given"
    case .purchaseFulfillmentFailed:
      "what transaction \(which) paid for could not be given\(failure)"
    case .restoreRequested: "the app asked for a restore on \(deviceText)"
    case .restoreCompleted: "the restore on \(deviceText) was completed"
    case .restoreFailed: "the restore on \(deviceText) failed\(failure)"
    case .downloadRequested: "the app started \(content)"
    case .downloadPauseRequested: "the app asked to pause \(content)"
    case .downloadResumeRequested: "the app asked to resume \(content)"
    case .downloadCancelRequested: "the app asked to cancel \(content)"
    case .downloadWaiting: "\(content) is waiting"
    case .downloadProgressed:
      "\(content) has progressed"
        + (data.double("progress").map { " to \(Int($0 * 100)) percent" } ?? "")
    case .downloadPaused: "\(content) was paused"
    case .downloadFinished: "\(content) was finished"
    case .downloadFailed: "\(content) failed\(failure)"
    case .downloadCancelled: "\(content) was cancelled"
    default: nil
    }
  }

  private var contentWords: String? {
    switch type.kind {
    case .contentInstallStarted: "the app began to install \(what)\(version) on \(deviceText)"
    case .contentInstalled: "the app installed \(what)\(version) on \(deviceText)"
    case .contentInstallFailed:
      "the app could not install \(what)\(version) on \(deviceText)\(failure)"
    case .contentActivated: "the app made \(what)\(version) the current version on \(deviceText)"
    case .contentRemoved: "the app removed \(what)\(version) from \(deviceText)"
    case .contentPurged: "the system emptied the download cache of \(deviceText)"
    case .contentVersionPublished: "a new version of \(what) was published:\(version)"
    case .contentHostingChanged:
      "the hosted content of \(what) is now \(data.string("hosting") ?? "in another state")"
    default: nil
    }
  }

  private var customerWords: String? {
    switch type.kind {
    case .consumableConsumed:
      "the app spent \(data.integer("amount").map { "\($0) " } ?? "")\(data.string("unit") ?? "-")"
    case .importReceived: "a file was imported: \(data.string("format") ?? "of an unknown format")"
    case .operatorActed: "\(actor) acted: \(data.string("action") ?? "-")\(because)"
    case .noteAdded: "\(actor) noted: \(data.string("text") ?? "-")"
    default: nil
    }
  }

  private var deviceText: String { device?.text ?? "a device" }
  private var version: String { data.string("contentVersion").map { " \($0)" } ?? "" }

  /// The download that the event is about.
  private var content: String {
    "the download \(download?.text ?? "-") of transaction \(which)"
  }

  /// The source of the report.
  private var who: String {
    switch (source ?? EventSource(.app)).kind {
    case .notification: "the store's server"
    case .receipt: "a receipt"
    case .server: "the backend"
    default: device.map { "the queue of \($0.text)" } ?? "the queue"
    }
  }

  private var actor: String { data.string("operator") ?? "an operator" }
  private var what: String { product?.text ?? "something" }
  private var which: String { (transaction ?? payment)?.text ?? "-" }
  private var chain: String { (originalTransaction ?? transaction)?.text ?? "-" }
  private var to: String { data.string("to") ?? "-" }
  private var granted: String { data.string("entitlement") ?? product?.text ?? "-" }
  private var ending: String { data.string("expiresAt").map { ", until \($0)" } ?? "" }
  private var because: String { data.string("reason").map { ": \($0)" } ?? "" }
  private var percent: String { data.numberText("percent").map { " by \($0) percent" } ?? "" }

  private var upgraded: String {
    data.boolean("isUpgraded") == true ? ", which an upgrade replaced" : ""
  }

  private var failure: String {
    guard let error = data.object("error") else { return "" }
    let domain = error.first { $0.name == "domain" }?.value.string ?? "an error"
    let code = error.first { $0.name == "code" }?.value.integer.map { " \($0)" } ?? ""
    return ": \(domain)\(code)"
  }

  private var catalogueText: String {
    let products = data.array("products") ?? []
    let named = products.compactMap { entry in
      entry.object?.first { $0.name == "product" }?.value.string
    }
    guard let first = named.first else { return "nothing" }
    return named.count == 1 ? first : "\(first) and \(named.count - 1) more"
  }
}
