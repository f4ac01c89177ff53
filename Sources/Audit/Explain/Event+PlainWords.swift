internal import LedgerEvents

extension Event {
  /// A description of the event for people who know the customer and not the format.
  var plainWords: String {
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
    default: type.text + (transaction.map { " of transaction \($0.text)" } ?? "")
    }
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
