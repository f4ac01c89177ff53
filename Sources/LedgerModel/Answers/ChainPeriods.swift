/// The periods of one autoRenewable chain in order, kept by who evaluates the chain again and again
/// while facts arrive in the fold order: then a fact costs its own transaction and not the chain.
///
/// The indices of transactions are those of one environment of a unit (``TouchedParts``).
package struct ChainPeriods: Sendable {
  /// What an evaluation needs to know of a period to find the one that decides.
  struct Span: Sendable {
    var start: Int64
    /// `.max` if it is open.
    var end: Int64
    var transaction: Int
    /// Whether it can grant.
    var stands: Bool
  }

  /// By start, then by end. Equal ones are in no order.
  private(set) var spans: [Span] = []
  /// The ends of all spans that have one, and the moments of statements about billing, in order.
  private(set) var moments: [Int64] = []
  /// The span of each transaction that has one.
  private var known: [Int: Span] = [:]
  /// The transactions about which facts have arrived.
  private var changed: Set<Int> = []
  /// Whether every transaction of the chain was looked at.
  private var isComplete = false
  /// How many of the chain's lapses the spans end by.
  private var lapseCount = 0
  /// How many of the chain's statements about billing `moments` has.
  private var billingCount = 0

  /// How many spans are moved one by one. If there are more, all are sorted.
  private static let movedMax = 64

  package init() {}

  /// A fact about a transaction has arrived.
  package mutating func note(_ transaction: Int) {
    if isComplete { changed.insert(transaction) }
  }

  private mutating func set(_ span: Span?, of transaction: Int) {
    if let before = known.removeValue(forKey: transaction) {
      var index = spans.firstIndex(inOrderWhere: { !$0.precedes(before) })
      while spans[index].transaction != transaction { index += 1 }
      spans.remove(at: index)
      if before.end != .max {
        moments.remove(at: moments.firstIndex(inOrderWhere: { $0 >= before.end }))
      }
    }
    guard let span else { return }
    known[transaction] = span
    spans.insert(span, at: spans.firstIndex(inOrderWhere: { span.precedes($0) }))
    if span.end != .max { add(span.end) }
  }

  private mutating func add(_ moment: Int64) {
    moments.insert(moment, at: moments.firstIndex(inOrderWhere: { $0 > moment }))
  }
}

extension ChainPeriods.Span {
  fileprivate func precedes(_ other: Self) -> Bool {
    (start, end) < (other.start, other.end)
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index from which on all elements fit.
  ///
  /// - Complexity: O(log *n*)
  fileprivate func firstIndex(inOrderWhere fits: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - Bringing them up to date

extension ChainPeriods {
  /// Brings the periods up to date, and returns whether they say all. Facts that name only the
  /// original, and chains of nothing but bare restores, need all of a chain's periods together.
  ///
  /// A catalogue that changes the end of a period, or the kind of a chain, has the unit folded from
  /// the start, and then nothing is kept.
  ///
  /// - Complexity: O(*k* (log *n* + *l*)) for *k* transactions with new facts and *l* lapses, and
  ///   moves of spans if periods do not come in the order of their starts; O(*n* (log *n* + *l*))
  ///   the first time, and O(*n*) for a new lapse.
  mutating func update(
    _ state: EnvironmentState, _ chain: Int, _ context: SharedContext
  ) -> Bool {
    guard state.chains[chain].floating.isEmpty else {
      self = ChainPeriods()
      return false
    }
    let (lapses, billings) = (state.chains[chain].lapses, state.chains[chain].billings)
    for lapse in lapses.dropFirst(lapseCount) {
      for span in spans where span.start < lapse.occurredAt && span.end > lapse.end {
        changed.insert(span.transaction)
      }
    }
    if isComplete, changed.count <= Self.movedMax {
      for transaction in changed { set(state.span(transaction, lapses, context), of: transaction) }
      for moment in billings.dropFirst(billingCount).flatMap(\.moments) { add(moment) }
      changed.removeAll(keepingCapacity: true)
    } else {
      self = ChainPeriods(
        state.members(of: chain).compactMap { state.span($0, lapses, context) }, billings)
    }
    (lapseCount, billingCount) = (lapses.count, billings.count)
    return !spans.isEmpty
  }

  private init(_ all: [Span], _ billings: [ChainState.Billing]) {
    spans = all.sorted { $0.precedes($1) }
    moments = all.map(\.end).filter { $0 != .max } + billings.flatMap(\.moments)
    moments.sort()
    for span in all { known[span.transaction] = span }
    isComplete = true
  }
}

extension EnvironmentState {
  /// The span of a transaction that is a period by itself.
  fileprivate func span(
    _ transaction: Int, _ lapses: [ChainState.Lapse], _ context: SharedContext
  ) -> ChainPeriods.Span? {
    guard transactions[transaction].hasPurchase, !isBare(transaction) else { return nil }
    var period = period(transaction)
    period.end = end(of: period, context)
    period.end(by: lapses)
    return ChainPeriods.Span(
      start: period.start, end: period.end, transaction: transaction, stands: period.stands)
  }
}

// MARK: - Evaluating

extension EnvironmentState {
  /// The standing of an autoRenewable chain at a moment; `nil` if no period has started.
  ///
  /// - Parameter periods: All periods of the chain, up to date.
  /// - Complexity: O(log *n* + *k*) for *k* later periods that were taken away or replaced; if the
  ///   subscription is over, also in the statements about billing.
  func subscriptionStanding(
    of chain: Int, at moment: Int64, _ periods: ChainPeriods, _ foldContext: FoldContext
  ) -> Standing? {
    let started = periods.spans[..<periods.spans.firstIndex(inOrderWhere: { $0.start > moment })]
    func last(_ fits: (ChainPeriods.Span) -> Bool) -> Period? {
      guard let last = started.lastIndex(where: fits) else { return nil }
      var found = started[last]
      for span in started[..<last].reversed() {
        guard span.start == found.start, span.end == found.end else { break }
        if fits(span), idPrecedes(found.transaction, span.transaction, foldContext.texts) {
          found = span
        }
      }
      var period = period(found.transaction)
      period.end = found.end
      return period
    }
    guard let latest = last({ _ in true }) else { return nil }
    return standing(of: chain, latest: latest, governing: last(\.stands), at: moment)
  }

  /// The next moment after `moment` at which the standing can change without a new event; `.max` if
  /// there is none.
  ///
  /// - Parameter periods: All periods of the chain, up to date.
  /// - Complexity: O(log *n*)
  func nextSubscriptionChange(after moment: Int64, _ periods: ChainPeriods) -> Int64 {
    let (spans, moments) = (periods.spans, periods.moments)
    let start = spans.firstIndex(inOrderWhere: { $0.start > moment })
    let other = moments.firstIndex(inOrderWhere: { $0 > moment })
    return min(
      start < spans.count ? spans[start].start : .max,
      other < moments.count ? moments[other] : .max)
  }
}
