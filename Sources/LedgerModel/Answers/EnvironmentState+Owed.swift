import LedgerEvents

extension EnvironmentState {
  /// Finds purchases that were paid for but never given.
  func refusedPurchases(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    refusals.filter { refusal in
      let transaction = transactions[refusal.transaction]
      return Unfulfilled.holds(
        refusal, of: transaction,
        isTakenAway: decidingReversal(of: transaction.chain).takesAway, at: moment, thresholds)
    }.map { finding(.unfulfilled, $0) }
  }

  /// Finds purchases that were given but never paid for.
  func unpaidGifts(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    gifts.filter { FulfilledUnpurchased.holds($0, at: moment, thresholds) }
      .map { finding(.fulfilledUnpurchased, $0) }
  }

  private func finding(_ rule: Rule, _ outcome: OutcomeState) -> Finding {
    let transaction = transactions[outcome.transaction]
    return Finding(
      rule: rule, environment: environment, position: outcome.position, occurredAt: outcome.time,
      account: account(of: outcome.transaction), transaction: transaction.number,
      product: transaction.product)
  }

  /// Finds restores that were completed but left out something that the account's customer holds.
  func incompleteRestores(
    at moment: Int64, _ thresholds: Thresholds, _ foldContext: FoldContext
  ) -> [Finding] {
    let due = devices.flatMap { device in
      device.restores.filter { RestoreIncomplete.isDue($0, at: moment, thresholds) }
        .map { (device: device.number, restore: $0) }
    }
    if due.isEmpty { return [] }
    let holdings = restorableChains(at: moment, foldContext)
    let newest = newestDeliveries(of: Set(holdings.values.joined()))
    return due.flatMap { device, restore in
      let customer = knownCustomer(of: restore.account)
      return (holdings[customer] ?? []).filter { chain in
        RestoreIncomplete.expects(transactions[chains[chain].firstPurchase].purchase, restore)
          && RestoreIncomplete.holds(newest: newest[chain]?[device] ?? none, since: restore)
      }.map { chain in
        let first = chains[chain].firstPurchase
        return Finding(
          rule: .restoreIncomplete, environment: environment, position: restore.position,
          occurredAt: restore.time, account: restore.account, device: device,
          transaction: transactions[first].number, product: chains[chain].firstProduct)
      }
    }
  }

  /// By customer: the active non-consumable chains that the customer holds.
  private func restorableChains(
    at moment: Int64, _ foldContext: FoldContext
  ) -> [Holder: [Int]] {
    var found: [Holder: [Int]] = [:]
    for chain in chains.indices where chains[chain].firstPurchase != none {
      guard kind(of: chains[chain], foldContext.shared) == .nonConsumable,
        standing(of: chain, at: moment, foldContext)?.state == .active
      else { continue }
      let holders = members(of: chain).filter { transactions[$0].hasPurchase }
        .map { transactions[$0].holder }
      for holder in Set(holders) where holder != .nobody {
        found[holder, default: []].append(chain)
      }
    }
    return found
  }

  /// The ordinals of the newest purchased or restored deliveries of chains, by chain and device.
  private func newestDeliveries(of wanted: Set<Int>) -> [Int: [NameNumber: Int]] {
    var newest: [Int: [NameNumber: Int]] = [:]
    for delivery in deliveries {
      let chain = transactions[delivery.transaction].chain
      guard wanted.contains(chain) else { continue }
      let known = newest[chain]?[delivery.device] ?? none
      newest[chain, default: [:]][delivery.device] = max(known, delivery.paidOrdinal)
    }
    return newest
  }
}
