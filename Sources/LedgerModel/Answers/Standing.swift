import LedgerEvents

/// What one grantor grants at a moment.
struct Standing: Equatable, Sendable {
  var state: EntitlementState
  var product: NameNumber
  /// When the state began, in microseconds.
  var since: Int64
  /// `.max` if it has no end.
  var end: Int64 = .max
}

extension EnvironmentState {
  /// What a chain grants at a moment, by its kind; `nil` if an answer does not list it.
  func standing(of chain: Int, at moment: Int64, _ foldContext: FoldContext) -> Standing? {
    let state = chains[chain]
    if state.firstPurchase == none { return nil }
    switch kind(of: state, foldContext.shared) {
    case .consumable: return nil
    case .autoRenewable: return subscriptionStanding(of: chain, at: moment, foldContext)
    case .nonConsumable: return boughtStanding(of: chain)
    case .nonRenewing:
      var standing = boughtStanding(of: chain)
      standing.end = termEnd(of: chain, foldContext.shared)
      if standing.state == .active && moment >= standing.end {
        standing.state = .expired
        standing.since = standing.end
      }
      return standing
    }
  }

  /// The moments after `moment` at which what a chain grants can change without a new event.
  func changes(of chain: Int, after moment: Int64, _ foldContext: FoldContext) -> [Int64] {
    let changes: [Int64] =
      switch kind(of: chains[chain], foldContext.shared) {
      case .autoRenewable: subscriptionChanges(of: chain, after: moment, foldContext)
      case .nonRenewing: [termEnd(of: chain, foldContext.shared)]
      case .consumable, .nonConsumable: []
      }
    return changes.filter { $0 > moment && $0 != .max }
  }

  /// The standing of a purchase: active, unless the deciding refund takes it away (`model.md` 7).
  private func boughtStanding(of chain: Int) -> Standing {
    let state = chains[chain]
    let first = transactions[state.firstPurchase].purchase.firstTime
    let reversal = decidingReversal(of: chain)
    let since = reversal.kind == .none ? first : max(first, reversal.occurredAt)
    switch reversal.kind {
    case .refunded: return Standing(state: .refunded, product: state.firstProduct, since: since)
    case .revoked: return Standing(state: .revoked, product: state.firstProduct, since: since)
    default: return Standing(state: .active, product: state.firstProduct, since: since)
    }
  }

  /// The end of a nonRenewing chain's term; `.max` if it has no duration (`model.md` 9).
  func termEnd(of chain: Int, _ context: SharedContext) -> Int64 {
    guard let duration = definition(of: chains[chain], context)?.duration else { return .max }
    var stated = Fact.absentTime
    var first = Fact.absentTime
    var firstOrdinal = Int.max
    let purchases = members(of: chain).map { transactions[$0].purchase }
      .filter { $0.firstOrdinal >= 0 }
    let isRestoredAlone = purchases.allSatisfy(\.isOnlyRestored)
    for purchase in purchases where isRestoredAlone || !purchase.isOnlyRestored {
      let start = isRestoredAlone ? purchase.statedStart : purchase.unrestoredStart
      if start != Fact.absentTime && (stated == Fact.absentTime || start < stated) {
        stated = start
      }
      let time = isRestoredAlone ? purchase.firstTime : purchase.unrestoredTime
      if first == Fact.absentTime || time < first
        || (time == first && purchase.firstOrdinal < firstOrdinal)
      {
        first = time
        firstOrdinal = purchase.firstOrdinal
      }
    }
    let start = stated != Fact.absentTime ? stated : first
    let end = Instant(microseconds: start).adding(duration).microseconds
    return min(end, Instant.microsecondsMax)
  }

  /// What a consumable chain credits, minus the part that a refund takes away (`model.md` 10).
  func credits(of chain: Int, _ context: SharedContext) -> [ProductDefinition.Grant] {
    let state = chains[chain]
    guard state.firstPurchase != none, let definition = definition(of: state, context),
      definition.kind == .consumable
    else { return [] }
    let reversal = decidingReversal(of: chain)
    return definition.grants.map { grant in
      let all = grant.amount.multipliedSaturated(by: state.quantity)
      let taken = reversal.takesAway ? Self.share(all, reversal.percentMillionths) : 0
      return ProductDefinition.Grant(unit: grant.unit, amount: all.subtractingSaturated(taken))
    }
  }

  /// A percentage of an amount, rounded half up.
  private static func share(_ amount: Int64, _ percentMillionths: Int64) -> Int64 {
    let whole: Int64 = FactDetail.Fields.wholePercentMillionths
    let product = amount.multipliedFullWidth(by: percentMillionths)
    let rounded = product.low.addingReportingOverflow(UInt64(whole / 2))
    let high = product.high + (rounded.overflow ? 1 : 0)
    if high >= whole / 2 { return .max }
    let (quotient, remainder) = whole.dividingFullWidth((high, rounded.partialValue))
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Whether a customer, or nobody, holds a transaction of the chain that has a purchase fact.
  func chain(_ chain: Int, grantsTo holder: Holder) -> Bool {
    members(of: chain).contains {
      transactions[$0].hasPurchase && transactions[$0].holder == holder
    }
  }
}
