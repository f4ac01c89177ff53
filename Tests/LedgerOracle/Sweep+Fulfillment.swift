import LedgerEvents

/// Whether paid products were given, and whether given products were paid for.
extension Sweep {
  /// Handles `purchase.fulfilled` and `.fulfillmentFailed`.
  func fulfil(_ seen: Seen) {
    guard let transaction = seen.transaction else { return }
    let isFirst = transaction.queue.reportedRules.insert("fulfillment").inserted
    if isFirst, transaction.queue.finishes > 0 { note("finished-before-fulfillment", seen) }
    guard seen.kind == .purchaseFulfilled else { return }
    let isFirstGiven = transaction.queue.reportedRules.insert("fulfilled").inserted
    if !isFirstGiven, world.kind(of: transaction.chain) == "consumable" {
      note("fulfilled-twice", seen)
    }
  }

  /// Returns the event for `unfulfilled`, which says that a paid product was not given.
  func unfulfilled(_ transaction: Transaction, at moment: Int64) -> Seen? {
    guard !transaction.purchaseFacts.isEmpty,
      transaction.queue.finishes > 0 || transaction.queue.wasRemoved,
      world.taken(world.verdict(on: transaction.chain)) == nil
    else { return nil }
    let verdicts = transaction.events.filter {
      $0.kind == .purchaseFulfilled || $0.kind == .purchaseFulfillmentFailed
    }
    let receipts = transaction.events.filter {
      $0.kind == .receiptAccepted || $0.kind == .receiptRejected
    }
    guard let newest = verdicts.last ?? receipts.last,
      newest.kind == .purchaseFulfillmentFailed || newest.kind == .receiptRejected,
      moment - newest.at > Instant.hour
    else { return nil }
    return newest
  }

  /// Returns the event for `fulfilled-unpurchased`, which says that a product was given without
  /// payment.
  func unpurchased(_ transaction: Transaction, at moment: Int64) -> Seen? {
    guard transaction.purchaseFacts.isEmpty,
      let given = transaction.events.first(where: { $0.kind == .purchaseFulfilled }),
      moment - given.at > Instant.hour
    else { return nil }
    return given
  }

  /// Returns the requests for `restore-incomplete`, one for each chain that a restore left out.
  func incompleteRestores(at moment: Int64) -> [Seen] {
    restores.flatMap { restore -> [Seen] in
      guard restore.device != nil, let account = restore.request.event.account,
        let completed = restore.completedBy, moment - completed.at > Instant.hour
      else { return [] }
      let missing = world.chains.filter { chain in
        isOwned(chain, by: holdings.customer(account), at: moment)
          && wasBought(chain, before: restore.request)
          && !wasDelivered(chain, since: restore.request)
      }
      return missing.map { _ in restore.request }
    }
  }

  private func isOwned(_ chain: Chain, by customer: Int, at moment: Int64) -> Bool {
    guard world.kind(of: chain) == "nonConsumable",
      world.answer(of: chain, at: moment)?.state == .active
    else { return false }
    return chain.transactions.contains { transaction in
      !transaction.purchaseFacts.isEmpty && holdings.customer(transaction.holder) == customer
    }
  }

  private func wasBought(_ chain: Chain, before request: Seen) -> Bool {
    guard let first = chain.firstPurchaseFact, first.index < request.index else { return false }
    guard let app = first.event.app, let other = request.event.app else { return true }
    return app == other
  }

  private func wasDelivered(_ chain: Chain, since request: Seen) -> Bool {
    chain.events.contains { seen in
      seen.isDelivery && seen.kind != .transactionFailed && seen.index > request.index
        && seen.event.device == request.event.device
    }
  }
}
