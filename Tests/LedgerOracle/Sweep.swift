import LedgerEvents

/// Walks through one environment's events in the fold order and notes every broken rule about
/// events (the first table of `rules.md`). Its final state answers the rest.
final class Sweep {
  let world: World
  let holdings = Holdings()
  private(set) var findings: [Oracle.Finding] = []

  /// The number of `session.started` events of each device, which is the number of its launch.
  var launch: [Name?: Int] = [:]
  var restores: [Restore] = []
  var restoreOf: [Name?: Int] = [:]
  var productInstalls: [DeviceProduct: Install] = [:]
  /// Installs that name a download but no transaction.
  var strayInstalls: [DownloadID: Install] = [:]
  var versionOnOffer: [Name: String] = [:]
  var digests: [Name: [DigestGroup]] = [:]
  var closedOn: [Name?: [Transaction]] = [:]
  var failuresByProduct: [Name: [Seen]] = [:]
  var paymentsAllowed: [Name?: Bool] = [:]
  var invalidProducts: [DeviceProduct: Bool] = [:]
  var payments: [Seen] = []
  var clocks: [Arrangement.DeviceSession: SessionClock] = [:]

  init(_ world: World) {
    self.world = world
    for seen in world.events { visit(seen) }
    noteLateArrivals()
  }

  func note(_ rule: String, _ seen: Seen) {
    findings.append(Oracle.Finding(rule: rule, position: seen.position))
  }

  /// Notes a rule that a transaction breaks at most once, or once per `occasion`.
  func noteOnce(_ rule: String, _ seen: Seen, _ transaction: Transaction, _ occasion: String = "") {
    if transaction.queue.reportedRules.insert(rule + occasion).inserted { note(rule, seen) }
  }

  /// Returns the holder of an event's transaction, else the account that the event states.
  func holder(of seen: Seen) -> Name? {
    if let transaction = seen.transaction { return transaction.holder }
    return seen.event.account
  }

  private func visit(_ seen: Seen) {
    checkClocks(seen)
    guard seen.kind != .unknown else { return }
    if let transaction = seen.transaction {
      if !transaction.hasBegun { holdings.begin(transaction) }
      checkAccount(seen, transaction)
      if seen.isPurchaseFact { checkPurchase(seen, transaction) }
      if seen.isDelivery { deliver(seen, transaction) }
      if seen.isDownloadEvent { download(seen, transaction) }
      if seen.isQueueFact { queue(seen, transaction) }
      if seen.isOfTransactions || seen.isOfSubscriptions { transaction.queue.isKnown = true }
    }
    visitOthers(seen)
  }

  private func visitOthers(_ seen: Seen) {
    switch seen.kind {
    case .sessionStarted:
      launch[seen.event.device, default: 0] += 1
      endRestore(on: seen.event.device)
    case .restoreRequested, .restoreCompleted, .restoreFailed: restore(seen)
    case .contentInstallStarted, .contentInstalled, .contentInstallFailed: install(seen)
    case .contentRemoved:
      if let product = world.product(of: seen) {
        let deviceProduct = DeviceProduct(device: seen.event.device, product: product)
        holdings.remove(at: deviceProduct, for: holder(of: seen))
      }
    case .contentPurged: purge(seen)
    case .contentVersionPublished, .catalogReceived: offer(seen)
    case .paymentsChecked: paymentsAllowed[seen.event.device] = seen.isTrue("allowed")
    case .paymentAdded: addPayment(seen)
    case .purchaseFulfilled, .purchaseFulfillmentFailed: fulfil(seen)
    default: visitAccounts(seen)
    }
  }

  private func visitAccounts(_ seen: Seen) {
    let event = seen.event
    switch seen.kind {
    case .accountLinked:
      if let account = event.account, let to = seen.name("to") { holdings.link(account, to) }
    case .accountTransferred:
      if let account = event.account, let to = seen.name("to") {
        holdings.move(from: account, to: to)
      }
    case .accountErased:
      if let account = event.account { holdings.move(from: account, to: nil) }
    case .consumableConsumed:
      guard let account = holder(of: seen), let unit = seen.name("unit") else { return }
      holdings.spend(seen.value("amount")?.integer ?? 0, of: unit, by: account)
    case .entitlementGranted, .entitlementWithdrawn:
      guard let account = holder(of: seen), let subject = seen.grantSubject else { return }
      if seen.kind == .entitlementGranted {
        holdings.grant(Grant(subject: subject, until: seen.time("until") ?? .max), to: account)
      } else {
        holdings.withdraw(subject, from: account)
      }
    default: break
    }
  }
}

extension Seen {
  var isDownloadEvent: Bool { isOfDownloads && event.download != nil }

  var grantSubject: Grant.Subject? {
    if let entitlement = name("entitlement") { return .entitlement(entitlement) }
    return event.product.map { .product($0) }
  }
}
