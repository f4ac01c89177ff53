import LedgerEvents

/// The rules that hold at a moment (the second table of `rules.md`), judged by what is open then.
extension Sweep {
  func findings(at moment: Int64) -> [Oracle.Finding] {
    var found: [Oracle.Finding] = []
    func note(_ rule: String, _ seen: Seen) {
      found.append(Oracle.Finding(rule: rule, position: seen.position))
    }
    for transaction in world.transactions {
      if let opened = transaction.queue.openedBy, moment - opened.at > Instant.day {
        note("never-finished", opened)
      }
      for seen in stalled(transaction, at: moment) { note("download-stalled", seen) }
      if let seen = unfulfilled(transaction, at: moment) { note("unfulfilled", seen) }
      if let seen = unpurchased(transaction, at: moment) { note("fulfilled-unpurchased", seen) }
    }
    for install in allInstalls where install.newestEvent.kind == .contentInstallStarted {
      if moment - install.newestEvent.at > Instant.hour {
        note("install-interrupted", install.newestEvent)
      }
    }
    for restore in restores where !restore.isAnswered {
      if moment - restore.request.at > Instant.hour { note("restore-unanswered", restore.request) }
    }
    for request in incompleteRestores(at: moment) { note("restore-incomplete", request) }
    for seen in unanswered(at: moment) { note("payment-unanswered", seen) }
    for chain in world.chains {
      if let seen = undelivered(chain, at: moment) { note("undelivered", seen) }
    }
    return found
  }

  private var allInstalls: [Install] {
    world.transactions.flatMap { $0.queue.installs.values } + productInstalls.values
      + strayInstalls.values
  }

  private func stalled(_ transaction: Transaction, at moment: Int64) -> [Seen] {
    transaction.queue.downloads.values.compactMap { download in
      guard let newest = download.newestEvent, moment - newest.at > Instant.hour,
        !download.isCancelledForGood
      else { return nil }
      switch newest.kind {
      case .downloadRequested, .downloadResumeRequested, .downloadWaiting, .downloadProgressed:
        return newest
      default: return nil
      }
    }
  }

  private func unanswered(at moment: Int64) -> [Seen] {
    var byPayment: [Name: Int] = [:]
    var byProduct: [DeviceProduct: Int] = [:]
    for seen in world.events where seen.isQueueFact {
      if let payment = seen.event.payment { byPayment[payment] = seen.index }
      if let product = world.product(of: seen) {
        byProduct[DeviceProduct(device: seen.event.device, product: product)] = seen.index
      }
    }
    var reported: Set<Name> = []
    return payments.filter { seen in
      guard moment - seen.at > Instant.hour else { return false }
      var answered: Int?
      if let payment = seen.event.payment {
        answered = byPayment[payment]
      } else if let product = seen.event.product {
        answered = byProduct[DeviceProduct(device: seen.event.device, product: product)]
      }
      guard (answered ?? -1) < seen.index else { return false }
      return seen.event.payment.map { reported.insert($0).inserted } ?? true
    }
  }

  private func undelivered(_ chain: Chain, at moment: Int64) -> Seen? {
    guard let answer = world.answer(of: chain, at: moment),
      answer.state == .active || answer.state == .gracePeriod,
      chain.transactions.contains(where: { $0.queue.sawDownload }),
      chain.transactions.contains(where: { $0.queue.finishes > 0 || $0.queue.wasRemoved })
    else { return nil }
    let paid = chain.transactions.filter { !$0.purchaseFacts.isEmpty }
    let isInstalled = paid.contains { holdings.hasInstalled(answer.product, $0.holder) }
    return isInstalled ? nil : chain.firstPurchaseFact
  }
}
