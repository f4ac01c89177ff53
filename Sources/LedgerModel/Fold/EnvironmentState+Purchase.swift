import LedgerEvents

extension EnvironmentState {
  /// What a `transaction.*` or `subscription.*` event says about what was bought, no matter who
  /// reports it.
  mutating func reducePurchase(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    switch fact.kind {
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed:
      if step.transaction != none { notePurchase(fact, step, foldContext) }
    case .transactionRefunded, .transactionRevoked, .transactionRefundReversed:
      if step.transaction != none { noteReversal(fact, step) }
    case .subscriptionRenewalExtended, .subscriptionBillingRecovered:
      noteExpiry(fact, step)
      if fact.kind == .subscriptionBillingRecovered { noteBilling(fact, step) }
    case .subscriptionExpired:
      noteLapse(fact, step)
      noteBilling(fact, step)
    case .subscriptionGracePeriodEntered, .subscriptionBillingFailed:
      noteBilling(fact, step)
    default: break
    }
  }

  private mutating func notePurchase(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    let index = step.transaction
    let chain = transactions[index].chain
    let detail = fact.detail
    let isFamilyShared = detail?.fields.familyShared ?? false
    if !transactions[index].hasPurchase {
      judgeSharing(fact, step, isFamilyShared: isFamilyShared)
      transactions[index].purchase.firstOrdinal = step.ordinal
      transactions[index].purchase.firstTime = fact.occurredAt
      transactions[index].purchase.firstPosition = fact.position
      transactions[index].purchase.firstApp = fact.app
      indexes.purchasesByHolder.add(index, with: transactions[index].holder)
      if !gifts.isEmpty { gifts.removeAll { $0.transaction == index } }
    }
    if !isFamilyShared {
      transactions[index].marks.insert(.ownPurchaseSeen)
      indexes.addBuyer(transactions[index].holder, toChain: chain)
    }
    let isFirstOfChain = chains[chain].firstPurchase == none
    if isFirstOfChain {
      chains[chain].firstPurchase = index
      chains[chain].firstProduct = fact.product
      indexes.chainsByProduct.add(chain, with: fact.product)
      chains[chain].quantity = detail?.fields.quantity ?? 1
    }
    transactions[index].purchase.take(fact, ordinal: step.ordinal)
    if isFirstOfChain {
      judgeSecondPurchase(fact, step, foldContext, isFamilyShared: isFamilyShared)
      if !repeats.isEmpty { judgeRepeats(of: chain, foldContext.shared) }
    }
  }

  private mutating func noteReversal(_ fact: Fact, _ step: Step) {
    let kind: Reversal.Kind =
      switch fact.kind {
      case .transactionRefunded: .refunded
      case .transactionRevoked: .revoked
      default: .reversed
      }
    let newest = transactions[step.transaction].purchase.reversal.recency
    guard Recency(fact, ordinal: step.ordinal) > newest else { return }
    transactions[step.transaction].purchase.reversal = Reversal(
      kind: kind, time: fact.storeTime, ordinal: step.ordinal, occurredAt: fact.occurredAt,
      percentMillionths: fact.detail?.fields.percentMillionths
        ?? FactDetail.Fields.wholePercentMillionths)
  }

  /// Notes an `expiresAt` in a fact that is not a purchase fact. It applies to the transaction that
  /// the fact names, or to the chain's current period.
  private mutating func noteExpiry(_ fact: Fact, _ step: Step) {
    guard let value = fact.detail?.fields.expiresAt, value != Fact.absentTime else { return }
    if step.transaction != none {
      transactions[step.transaction].purchase.takeExpiry(fact, value, ordinal: step.ordinal)
    } else if fact.original != 0 {
      let chain = indexOfChain(fact.original)
      chains[chain].floating.append(
        ChainState.FloatingExpiry(
          isStoreFact: fact.isStoreFact, storeTime: fact.storeTime, ordinal: step.ordinal,
          occurredAt: fact.occurredAt, value: value))
    }
  }

  private mutating func noteLapse(_ fact: Fact, _ step: Step) {
    guard let chain = chain(of: fact, step) else { return }
    let stated = fact.detail?.fields.expiresAt ?? Fact.absentTime
    chains[chain].lapses.append(
      ChainState.Lapse(
        occurredAt: fact.occurredAt, end: stated != Fact.absentTime ? stated : fact.occurredAt))
  }

  private mutating func noteBilling(_ fact: Fact, _ step: Step) {
    guard let chain = chain(of: fact, step) else { return }
    chains[chain].billings.append(
      ChainState.Billing(
        kind: fact.kind, occurredAt: fact.occurredAt,
        graceEnd: fact.detail?.fields.gracePeriodExpiresAt ?? Fact.absentTime))
  }

  private mutating func chain(of fact: Fact, _ step: Step) -> Int? {
    if step.transaction != none { return transactions[step.transaction].chain }
    return fact.original != 0 ? indexOfChain(fact.original) : nil
  }

  /// Looks for `original-shared` at the first purchase fact of a transaction.
  private mutating func judgeSharing(_ fact: Fact, _ step: Step, isFamilyShared: Bool) {
    let chain = transactions[step.transaction].chain
    if chains[chain].sharingFound || isFamilyShared { return }
    let holder = transactions[step.transaction].holder
    if OriginalShared.breaks(holder: holder, others: buyers(of: chain)) {
      chains[chain].sharingFound = true
      report(.originalShared, fact, step)
    }
  }

  /// Looks for `purchased-twice` at the first purchase fact of a chain.
  private mutating func judgeSecondPurchase(
    _ fact: Fact, _ step: Step, _ foldContext: FoldContext, isFamilyShared: Bool
  ) {
    guard fact.kind == .transactionPurchased, !isFamilyShared,
      isSecondPurchase(of: fact.product, step.transaction, foldContext.shared)
    else { return }
    report(.purchasedTwice, fact, step)
  }

  private mutating func isSecondPurchase(
    of product: NameNumber, _ index: Int, _ context: SharedContext
  ) -> Bool {
    let chain = transactions[index].chain
    let holder = transactions[index].holder
    guard transactions[index].statedOriginal != 0, holder != .nobody,
      kind(of: chains[chain], context) == .nonConsumable
    else { return false }
    return chainsThatMayBe(of: product, heldBy: holder).contains { index in
      let other = chains[index]
      guard index != chain, other.firstPurchase != none, other.firstProduct == product else {
        return false
      }
      let facts = PurchasedTwice.Other(
        product: other.firstProduct,
        statesOriginal: transactions[other.firstPurchase].statedOriginal != 0,
        isHeld: self.chain(index, grantsTo: holder),
        kind: kind(of: other, context),
        isTakenAway: decidingReversal(of: index).takesAway)
      return PurchasedTwice.breaks(product: product, other: facts)
    }
  }

  /// The indices of a chain's transactions, in the order of their first events.
  func members(of chain: Int) -> ChainMembers {
    ChainMembers(transactions: transactions, following: chains[chain].firstTransaction)
  }

  /// The kind that the chain was bought as, by the definition that its first purchase fact uses.
  /// Without a definition, it is autoRenewable if one of its facts states an expiry, otherwise
  /// nonConsumable (`model.md` 5).
  func kind(of chain: ChainState, _ context: SharedContext) -> ProductDefinition.Kind {
    if let definition = definition(of: chain, context) { return definition.kind }
    return expiringIndex.lookUp(UInt64(chain.original)) >= 0 ? .autoRenewable : .nonConsumable
  }

  /// The definition that the chain's first purchase fact uses.
  func definition(of chain: ChainState, _ context: SharedContext) -> ProductDefinition? {
    if chain.firstPurchase == none { return nil }
    let first = transactions[chain.firstPurchase].purchase
    return context.catalogue.definition(
      of: chain.firstProduct, in: environment, app: first.firstApp, at: first.firstTime)
  }

  /// The latest of all transactions' newest refunds, revocations or reversals (`model.md` 7).
  func decidingReversal(of chain: Int) -> Reversal {
    var deciding = Reversal()
    for index in members(of: chain)
    where transactions[index].purchase.reversal.ordinal > deciding.ordinal {
      deciding = transactions[index].purchase.reversal
    }
    return deciding
  }
}

/// The transactions of a chain, found by following their linked list.
struct ChainMembers: Sequence, IteratorProtocol {
  let transactions: StateTable<TransactionState>
  var following: Int

  mutating func next() -> Int? {
    if following == none { return nil }
    defer { following = transactions[following].nextInChain }
    return following
  }
}

extension PurchaseState {
  /// Adds a purchase fact of the transaction.
  mutating func take(_ fact: Fact, ordinal: Int) {
    let detail = fact.detail
    let purchasedAt = detail?.fields.purchasedAt ?? Fact.absentTime
    let isRestored = fact.kind == .transactionRestored
    if purchasedAt != Fact.absentTime {
      if statedStart == Fact.absentTime || purchasedAt < statedStart { statedStart = purchasedAt }
      if !isRestored && (unrestoredStart == Fact.absentTime || purchasedAt < unrestoredStart) {
        unrestoredStart = purchasedAt
      }
    }
    if !isRestored {
      if unrestoredTime == Fact.absentTime { unrestoredTime = fact.occurredAt }
      isOnlyRestored = false
    }
    if let expiresAt = detail?.fields.expiresAt, expiresAt != Fact.absentTime {
      statesExpiry = true
      takeExpiry(fact, expiresAt, ordinal: ordinal)
    }
    isFamilyShared = detail?.fields.familyShared ?? false
    if fact.isStoreFact {
      if Recency(fact, ordinal: ordinal) > store.recency {
        store = StoreClaim(
          time: fact.storeTime, ordinal: ordinal, product: fact.product,
          isUpgraded: detail?.fields.isUpgraded ?? false)
      }
    } else {
      queueOrdinal = ordinal
      queueProduct = fact.product
    }
  }

  /// Adds the expiry that a fact about this transaction states.
  mutating func takeExpiry(_ fact: Fact, _ value: Int64, ordinal: Int) {
    if fact.isStoreFact {
      storeExpiry.take(value, time: fact.storeTime, ordinal: ordinal)
    } else {
      queueExpiry.take(value, time: 0, ordinal: ordinal)
    }
  }
}
