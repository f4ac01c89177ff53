/// The periods of one autoRenewable chain in order, kept by who evaluates the chain again and again
/// while facts arrive in the fold order: then a fact costs its own transaction and not the chain.
///
/// The indices of transactions are those of one environment of a unit (``TouchedParts``).
package struct ChainPeriods: Sendable {
  /// By start, then by end. Equal ones are in no order.
  private(set) var periods: [Period]
  /// When they start and end, and the moments of statements about billing, in order; `.max` is
  /// none.
  private(set) var moments: [Int64]
  /// When the period of a transaction starts, by which it is found.
  private var starts: [Int: Int64] = [:]
  /// The transactions about which facts have arrived.
  private var changed: Set<Int> = []
  /// How many of the chain's lapses the periods end by.
  private var lapseCount: Int
  /// How many of the chain's statements about billing `moments` has.
  private var billingCount: Int

  /// How many periods are moved one by one. If there are more, all are sorted.
  private static let movedMax = 64

  /// A fact about a transaction has arrived.
  package mutating func note(_ transaction: Int) { changed.insert(transaction) }

  /// - Complexity: O(*n* (log *n* + *l*)) for *n* transactions and *l* lapses.
  fileprivate init(_ state: EnvironmentState, _ chain: Int, _ context: SharedContext) {
    let (lapses, billings) = (state.chains[chain].lapses, state.chains[chain].billings)
    periods = state.members(of: chain).compactMap { state.ownPeriod($0, lapses, context) }
    periods.sort { $0.isBefore($1) }
    moments = periods.map(\.start) + periods.map(\.end) + billings.flatMap(\.moments)
    moments.sort()
    (lapseCount, billingCount) = (lapses.count, billings.count)
    for period in periods { starts[period.transaction] = period.start }
  }

  /// - Complexity: O(*k* (log *n* + *l*)) for *k* transactions with new facts and *l* lapses, and
  ///   moves of the periods that are later or start together; O(*n*) for a new lapse.
  fileprivate mutating func update(
    _ state: EnvironmentState, _ chain: Int, _ context: SharedContext
  ) {
    let (lapses, billings) = (state.chains[chain].lapses, state.chains[chain].billings)
    for lapse in lapses.dropFirst(lapseCount) {
      for period in periods where period.start < lapse.occurredAt && period.end > lapse.end {
        changed.insert(period.transaction)
      }
    }
    guard changed.count <= Self.movedMax else {
      self = ChainPeriods(state, chain, context)
      return
    }
    for transaction in changed {
      set(state.ownPeriod(transaction, lapses, context), of: transaction)
    }
    for moment in billings.dropFirst(billingCount).flatMap(\.moments) { add(moment) }
    (lapseCount, billingCount) = (lapses.count, billings.count)
    changed.removeAll(keepingCapacity: true)
  }

  private mutating func set(_ period: Period?, of transaction: Int) {
    if let start = starts.removeValue(forKey: transaction) {
      var index = periods.partitionPoint { $0.start < start }
      while periods[index].transaction != transaction { index += 1 }
      let before = periods.remove(at: index)
      remove(before.start)
      remove(before.end)
    }
    guard let period else { return }
    starts[transaction] = period.start
    periods.insert(period, at: periods.partitionPoint { !period.isBefore($0) })
    add(period.start)
    add(period.end)
  }

  private mutating func add(_ moment: Int64) {
    moments.insert(moment, at: moments.partitionPoint { $0 <= moment })
  }

  private mutating func remove(_ moment: Int64) {
    moments.remove(at: moments.partitionPoint { $0 < moment })
  }
}

extension EnvironmentState {
  /// Brings the periods of a chain up to date, and returns whether they say all. Facts that name
  /// only the original, and bare restores alone, need all transactions of a chain together; other
  /// products have no periods.
  ///
  /// A catalogue that changes the end of a period, or the kind of a chain, has the unit folded from
  /// the start, and then nothing is kept.
  func update(_ kept: inout ChainPeriods?, of chain: Int, _ context: SharedContext) -> Bool {
    guard chains[chain].floating.isEmpty, kind(of: chains[chain], context) == .autoRenewable
    else {
      kept = nil
      return false
    }
    if kept == nil {
      kept = ChainPeriods(self, chain, context)
    } else {
      kept?.update(self, chain, context)
    }
    return kept?.periods.isEmpty == false
  }

  /// The period of a transaction that is one by itself.
  fileprivate func ownPeriod(
    _ transaction: Int, _ lapses: [ChainState.Lapse], _ context: SharedContext
  ) -> Period? {
    guard transactions[transaction].hasPurchase, !isBare(transaction) else { return nil }
    var period = period(transaction)
    end(&period, lapses, context)
    return period
  }

  /// The standing of an autoRenewable chain at a moment; `nil` if no period has started.
  ///
  /// - Parameter kept: The periods of the chain, which say all.
  /// - Complexity: O(log *n* + *k*) for *k* later periods that were taken away or replaced; if the
  ///   subscription is over, also in the statements about billing.
  func subscriptionStanding(
    of chain: Int, at moment: Int64, _ kept: ChainPeriods, _ texts: any FactTexts
  ) -> Standing? {
    let started = kept.periods[..<kept.periods.partitionPoint { $0.start <= moment }]
    func last(_ fits: (Period) -> Bool) -> Period? {
      guard let index = started.lastIndex(where: fits) else { return nil }
      let found = started[index]
      let equal = started[...index].reversed()
        .prefix { $0.start == found.start && $0.end == found.end }
      return lastPeriod(of: equal.filter(fits), texts)
    }
    guard let latest = last({ _ in true }) else { return nil }
    return standing(of: chain, latest: latest, governing: last(\.stands), at: moment)
  }
}

extension ChainPeriods {
  /// The next moment at which the standing can change without a new event; `.max` if there is none.
  ///
  /// - Complexity: O(log *n*)
  func nextChange(after moment: Int64) -> Int64 {
    let index = moments.partitionPoint { $0 <= moment }
    return index < moments.count ? moments[index] : .max
  }
}

extension Period {
  fileprivate func isBefore(_ other: Period) -> Bool {
    (start, end) < (other.start, other.end)
  }
}
