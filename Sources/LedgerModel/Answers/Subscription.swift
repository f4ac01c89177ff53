import LedgerEvents

/// A paid span of a subscription: one transaction of its chain (`model.md` 8).
struct Period: Sendable {
  var transaction: Int
  var start: Int64
  /// `.max` if it is open.
  var end: Int64
  var product: NameNumber
  var reversal: Reversal
  var isUpgraded: Bool
  /// The end that `expiresAt` facts state, before any expiry event ends the period.
  var storeExpiry: DatedValue
  var queueExpiry: DatedValue

  /// Whether it can grant: it was neither taken away nor replaced by an upgrade.
  var stands: Bool { !reversal.takesAway && !isUpgraded }
}

extension EnvironmentState {
  /// The periods of an autoRenewable chain with their final starts and ends.
  func periods(of chain: Int, _ foldContext: FoldContext) -> [Period] {
    var periods: [Period] = []
    var bare: [Int] = []
    for index in members(of: chain) where transactions[index].hasPurchase {
      if isBare(index) {
        bare.append(index)
      } else {
        periods.append(period(index))
      }
    }
    if periods.isEmpty,
      let first = bare.min(by: {
        transactions[$0].purchase.firstOrdinal < transactions[$1].purchase.firstOrdinal
      })
    {
      periods.append(period(first))
    }
    assignFloating(&periods, chain, foldContext.texts)
    let lapses = chains[chain].lapses
    for index in periods.indices { end(&periods[index], lapses, foldContext.shared) }
    return periods
  }

  /// Whether nothing says more of a transaction than that it was restored.
  func isBare(_ index: Int) -> Bool {
    let purchase = transactions[index].purchase
    return purchase.isOnlyRestored && !purchase.statesExpiry
  }

  /// The period of a transaction, before its end is known.
  func period(_ index: Int) -> Period {
    let purchase = transactions[index].purchase
    return Period(
      transaction: index, start: purchase.start, end: .max, product: purchase.product,
      reversal: purchase.reversal, isUpgraded: purchase.store.isUpgraded,
      storeExpiry: purchase.storeExpiry, queueExpiry: purchase.queueExpiry)
  }

  /// A fact that names only the original applies to the last period that starts no later than the
  /// fact.
  private func assignFloating(_ periods: inout [Period], _ chain: Int, _ texts: any FactTexts) {
    for fact in chains[chain].floating {
      var target: Int?
      for index in periods.indices where periods[index].start <= fact.occurredAt {
        if let best = target, !isLater(periods[index], than: periods[best], texts) { continue }
        target = index
      }
      guard let target else { continue }
      if fact.isStoreFact {
        periods[target].storeExpiry.take(
          fact.value, time: fact.storeTime, ordinal: fact.ordinal)
      } else {
        periods[target].queueExpiry.take(fact.value, time: 0, ordinal: fact.ordinal)
      }
    }
  }

  private func isLater(_ left: Period, than right: Period, _ texts: any FactTexts) -> Bool {
    if left.start != right.start { return left.start > right.start }
    return idPrecedes(right.transaction, left.transaction, texts)
  }

  func idPrecedes(_ left: Int, _ right: Int, _ texts: any FactTexts) -> Bool {
    texts.text(of: transactions[left].number) < texts.text(of: transactions[right].number)
  }

  /// Ends a period by what states its end, and by the expiry events after its start.
  func end(_ period: inout Period, _ lapses: [ChainState.Lapse], _ context: SharedContext) {
    period.end = end(of: period, context)
    for lapse in lapses where period.start < lapse.occurredAt {
      period.end = min(period.end, lapse.end)
    }
  }

  private func end(of period: Period, _ context: SharedContext) -> Int64 {
    if period.storeExpiry.ordinal >= 0 { return period.storeExpiry.value }
    if period.queueExpiry.ordinal >= 0 { return period.queueExpiry.value }
    let purchase = transactions[period.transaction].purchase
    let definition = context.catalogue.definition(
      of: period.product, in: environment, app: purchase.firstApp, at: purchase.firstTime)
    guard let duration = definition?.duration else { return .max }
    let end = Instant(microseconds: period.start).adding(duration).microseconds
    return min(end, Instant.microsecondsMax)
  }

  /// The standing of an autoRenewable chain at a moment; `nil` if no period has started.
  func subscriptionStanding(
    of chain: Int, at moment: Int64, _ foldContext: FoldContext
  ) -> Standing? {
    let started = periods(of: chain, foldContext).filter { $0.start <= moment }
    guard let latest = lastPeriod(of: started, foldContext.texts) else { return nil }
    let governing = lastPeriod(of: started.lazy.filter(\.stands), foldContext.texts)
    return standing(of: chain, latest: latest, governing: governing, at: moment)
  }

  /// The last of the periods, which decides; `nil` if there are none.
  func lastPeriod(of periods: some Sequence<Period>, _ texts: any FactTexts) -> Period? {
    periods.max { left, right in
      if left.start != right.start { return left.start < right.start }
      if left.end != right.end { return left.end < right.end }
      return idPrecedes(left.transaction, right.transaction, texts)
    }
  }

  /// What the last period that has started, and the last of those that can grant, say at a moment.
  func standing(
    of chain: Int, latest: Period, governing: Period?, at moment: Int64
  ) -> Standing {
    if let governing, moment < governing.end {
      return Standing(
        state: .active, product: governing.product, since: governing.start, end: governing.end)
    }
    if latest.reversal.takesAway {
      return Standing(
        state: latest.reversal.kind == .refunded ? .refunded : .revoked, product: latest.product,
        since: latest.reversal.occurredAt, end: latest.end)
    }
    guard let governing else {
      return Standing(
        state: .expired, product: latest.product, since: latest.start, end: latest.end)
    }
    return lapsedStanding(of: chain, governing, at: moment)
  }

  /// What follows the end of the governing period: grace, billing retry, or nothing.
  private func lapsedStanding(of chain: Int, _ governing: Period, at moment: Int64) -> Standing {
    var standing = Standing(
      state: .expired, product: governing.product, since: governing.end, end: governing.end)
    // The last one decides. What says again what held already, such as a status that was asked for
    // later, does not begin it: the answer must not depend on which of them was imported.
    var until = moment
    for billing in chains[chain].billings.reversed() where billing.occurredAt <= moment {
      guard billing.occurredAt >= governing.start else { continue }
      let begun = max(billing.occurredAt, governing.end)
      // Another one of the same moment took its place.
      guard begun <= until else { continue }
      let held = billing.held(at: until, begun: begun)
      if until == moment { standing.state = held.state }
      guard held.state == standing.state, held.state != .expired else { break }
      standing.since = held.since
      guard held.since == begun, begun > governing.end else { break }
      until = begun - 1
    }
    return standing
  }

  /// The moments after `moment` at which the standing can change without a new event.
  func subscriptionChanges(
    of chain: Int, after moment: Int64, _ foldContext: FoldContext
  ) -> [Int64] {
    var changes: [Int64] = []
    for period in periods(of: chain, foldContext) {
      changes.append(period.start)
      if period.end != .max { changes.append(period.end) }
    }
    changes.append(contentsOf: chains[chain].billings.flatMap(\.moments))
    return changes.filter { $0 > moment }
  }
}

extension ChainState.Billing {
  /// The moments at which it can change a standing.
  var moments: [Int64] { [occurredAt, graceEnd] }

  /// What it says of a subscription whose period is over, at a moment from `begun` on, and since
  /// when.
  fileprivate func held(at moment: Int64, begun: Int64) -> (state: EntitlementState, since: Int64) {
    switch kind {
    case .subscriptionGracePeriodEntered:
      if graceEnd == Fact.absentTime { return (.billingRetry, begun) }
      return graceEnd > moment ? (.gracePeriod, begun) : (.billingRetry, max(graceEnd, begun))
    case .subscriptionBillingFailed: return (.billingRetry, begun)
    default: return (.expired, begun)
    }
  }
}
