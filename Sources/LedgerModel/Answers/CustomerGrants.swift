import LedgerEvents

/// What grants something to one customer in one environment, kept so that an event costs what it
/// touches and not what the customer ever bought.
///
/// A chain that can no longer change by time alone is *settled*: what it grants is computed once
/// and kept, the best of each product first. The others are *open*, and are evaluated at each
/// moment.
struct CustomerGrants: Sendable {
  /// What a settled chain grants.
  private struct Settled: Comparable, Sendable {
    var chain: Int
    /// The index of the first transaction of the chain that the customer holds and that was bought.
    var order: Int
    var standing: Standing

    var rank: GrantorRank { GrantorRank(state: standing.state, end: standing.end) }

    static func < (left: Self, right: Self) -> Bool {
      if left.rank < right.rank { return true }
      return right.rank < left.rank ? false : left.order < right.order
    }

    static func == (left: Self, right: Self) -> Bool {
      left.chain == right.chain && left.order == right.order
        && left.standing.state == right.standing.state
        && left.standing.product == right.standing.product
        && left.standing.since == right.standing.since && left.standing.end == right.standing.end
    }
  }

  private var settled: [Int: Settled] = [:]
  /// By product: what settled chains grant. May contain what has since been replaced.
  private var best: [NameNumber: Heap<Settled>] = [:]
  /// The order of each open chain, as that of a settled one.
  private var open: [Int: Int] = [:]
  /// By product: the newest queue report among the customer's transactions.
  private var reports: [NameNumber: ReportState] = [:]

  /// Operators' grants come after the store's, and these in the order of the grants.
  private static let pendingOrder = Int.max - 1
  private static let operatorOrder = Int.max

  /// Notes what the queue reported of a product.
  mutating func note(_ report: ReportState) {
    if let known = reports[report.product], known.ordinal > report.ordinal { return }
    reports[report.product] = report
  }

  /// Evaluates a chain again that an event has touched, and that the customer holds a purchase of.
  ///
  /// - Complexity: O(*n*) in the chain's transactions.
  mutating func update(
    chain: Int, order: Int, in state: EnvironmentState, from moment: Int64,
    _ foldContext: FoldContext
  ) {
    open[chain] = nil
    let now = state.standing(of: chain, at: moment, foldContext)
    if state.canChange(chain, after: moment, foldContext) {
      settled[chain] = nil
      open[chain] = order
      return
    }
    guard let now else {
      settled[chain] = nil
      return
    }
    let grant = Settled(chain: chain, order: order, standing: now)
    if settled[chain] == grant { return }
    settled[chain] = grant
    best[now.product, default: Heap()].insert(grant)
  }

  /// Settles the open chains that can no longer change.
  private mutating func settleOpen(
    in state: EnvironmentState, from moment: Int64, _ foldContext: FoldContext
  ) {
    for (chain, order) in open where !state.canChange(chain, after: moment, foldContext) {
      update(chain: chain, order: order, in: state, from: moment, foldContext)
    }
  }

  /// The best that settled chains grant of each product.
  private mutating func settledBest() -> [Settled] {
    var found: [Settled] = []
    for product in Array(best.keys) {
      // The heap is changed in place, because a copy would cost O(*n*).
      while let first = best[product]?.first, settled[first.chain] != first {
        best[product]?.removeFirst()
      }
      if let first = best[product]?.first { found.append(first) } else { best[product] = nil }
    }
    return found
  }

  /// What the customer has from its newest event on.
  ///
  /// - Complexity: O(*p* *m*) in its products and the moments at which something can change, and in
  ///   the transactions of its open chains.
  mutating func segments(
    of customer: Int, in state: EnvironmentState, from moment: Int64, _ foldContext: FoldContext
  ) -> [GrantSegment] {
    settleOpen(in: state, from: moment, foldContext)
    let fixed = settledBest()
    var segments: [GrantSegment] = []
    for moment in moments(of: customer, fixed, in: state, from: moment, foldContext) {
      let items = items(of: customer, fixed, in: state, at: moment, foldContext)
      if segments.last?.items == items { continue }
      if !segments.isEmpty { segments[segments.count - 1].nextChange = moment }
      segments.append(GrantSegment(from: moment, nextChange: nil, items: items))
    }
    return segments
  }

  private func items(
    of customer: Int, _ fixed: [Settled], in state: EnvironmentState, at moment: Int64,
    _ foldContext: FoldContext
  ) -> [GrantedItem] {
    var items = BestItems()
    for grant in fixed { items.add(GrantedItem(grant.standing), order: grant.order) }
    for (chain, order) in open {
      guard let standing = state.standing(of: chain, at: moment, foldContext) else { continue }
      items.add(GrantedItem(standing), order: order)
    }
    for report in reports.values where report.isDeferred {
      let pending = Standing(state: .pending, product: report.product, since: report.time)
      items.add(GrantedItem(pending), order: Self.pendingOrder)
    }
    for grant in state.grants(of: Holder(customer: customer)) where grant.until > moment {
      let granted = Standing(
        state: .active, product: grant.product, since: grant.since, end: grant.until)
      var item = GrantedItem(granted)
      item.entitlement = grant.entitlement
      item.source = .operator
      items.add(item, order: Self.operatorOrder)
    }
    return items.sorted(at: moment, in: state.environment, foldContext)
  }

  /// A moment, and the later ones at which something can change without a new event.
  private func moments(
    of customer: Int, _ fixed: [Settled], in state: EnvironmentState, from moment: Int64,
    _ foldContext: FoldContext
  ) -> [Int64] {
    var moments: Set<Int64> = []
    var products = Set(fixed.map(\.standing.product))
    for chain in open.keys {
      moments.formUnion(state.changes(of: chain, after: moment, foldContext))
      products.insert(state.chains[chain].firstProduct)
      for member in state.members(of: chain) {
        products.insert(state.transactions[member].purchase.product)
      }
    }
    for report in reports.values where report.isDeferred { products.insert(report.product) }
    for grant in state.grants(of: Holder(customer: customer)) {
      moments.insert(grant.until)
      products.insert(grant.product)
    }
    for product in products {
      moments.formUnion(foldContext.shared.catalogue.changes(of: product, after: moment))
    }
    return [moment] + moments.filter { $0 > moment && $0 != .max }.sorted()
  }
}

extension GrantedItem {
  fileprivate init(_ standing: Standing) {
    self.init(
      product: standing.product, state: standing.state, since: standing.since, end: standing.end,
      source: .store)
  }
}
