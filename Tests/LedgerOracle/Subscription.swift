import LedgerEvents

/// A paid period: a transaction of an auto-renewable chain with a purchase fact (`model.md` 8).
struct Period {
  var transaction: Transaction
  var start: Int64
  /// The end; `Int64.max` if it is open.
  var end: Int64
  var product: Name
  var taken: State?
  var stands: Bool

  /// Returns whether `self` starts later; ties are decided by the later end, then by the id's
  /// bytes.
  func isAfter(_ other: Period) -> Bool {
    if start != other.start { return start > other.start }
    if end != other.end { return end > other.end }
    return other.transaction.key.name < transaction.key.name
  }
}

extension World {
  /// Returns the newest of some facts: the store fact that was signed last, else the fact folded
  /// last.
  private func newest(_ facts: [Seen]) -> Seen? {
    let signed = facts.filter(\.isStoreFact)
    guard !signed.isEmpty else { return facts.max { $0.index < $1.index } }
    return signed.max { ($0.rank, $0.index) < ($1.rank, $1.index) }
  }

  private func paidTransactions(_ chain: Chain) -> [Transaction] {
    let paid = chain.transactions.filter { !$0.purchaseFacts.isEmpty }
    let known = paid.filter { transaction in
      transaction.purchaseFacts.contains {
        $0.kind != .transactionRestored || $0.time("expiresAt") != nil
      }
    }
    if !known.isEmpty { return known }
    let first = paid.min { $0.purchaseFacts[0].index < $1.purchaseFacts[0].index }
    return first.map { [$0] } ?? []
  }

  private func start(of transaction: Transaction) -> Int64 {
    transaction.purchaseFacts.compactMap { $0.time("purchasedAt") }.min()
      ?? transaction.purchaseFacts[0].at
  }

  /// Returns the transaction that a fact is about if it names only the original transaction.
  private func subject(of fact: Seen, among paid: [Transaction]) -> Transaction? {
    let begun = paid.filter { start(of: $0) <= fact.at }
    return begun.max { left, right in
      let (one, two) = (start(of: left), start(of: right))
      return one != two ? one < two : left.key.name < right.key.name
    }
  }

  func periods(of chain: Chain) -> [Period] {
    let paid = paidTransactions(chain)
    var about: [TransactionKey: [Seen]] = [:]
    for transaction in paid { about[transaction.key] = transaction.events }
    for fact in chain.loose {
      guard let subject = subject(of: fact, among: paid) else { continue }
      about[subject.key, default: []].append(fact)
    }
    let expirations = chain.events.filter { $0.kind == .subscriptionExpired }
    return paid.compactMap { period(of: $0, facts: about[$0.key] ?? [], expirations) }
  }

  private func period(
    of transaction: Transaction, facts: [Seen], _ expirations: [Seen]
  ) -> Period? {
    let first = transaction.purchaseFacts[0]
    guard let product = newest(transaction.purchaseFacts).flatMap(product(of:)) else { return nil }
    let start = start(of: transaction)
    let dated = facts.filter {
      ($0.isPurchaseFact || $0.kind == .subscriptionRenewalExtended
        || $0.kind == .subscriptionBillingRecovered) && $0.time("expiresAt") != nil
    }
    var end = Int64.max
    if let stated = newest(dated)?.time("expiresAt") {
      end = stated
    } else if let duration = catalogue.entry(of: product, usedBy: first)?.duration {
      end = adding(duration, to: start) ?? .max
    }
    for expiration in expirations where start < expiration.at {
      end = min(end, expiration.time("expiresAt") ?? expiration.at)
    }
    let taken = taken(verdict(on: transaction))
    let signed = transaction.purchaseFacts.filter(\.isStoreFact)
    let isUpgraded = newest(signed)?.isTrue("isUpgraded") ?? false
    return Period(
      transaction: transaction, start: start, end: end, product: product, taken: taken,
      stands: taken == nil && !isUpgraded)
  }

  func subscription(_ chain: Chain, at moment: Int64) -> ChainAnswer? {
    let begun = periods(of: chain).filter { $0.start <= moment }
    guard let last = begun.max(by: { $1.isAfter($0) }) else { return nil }
    let governing = begun.filter(\.stands).max { $1.isAfter($0) }
    if let governing, moment < governing.end {
      return ChainAnswer(product: governing.product, state: .active)
    }
    if let taken = last.taken { return ChainAnswer(product: last.product, state: taken) }
    guard let governing else { return ChainAnswer(product: last.product, state: .expired) }
    let billing = chain.events.last {
      switch $0.kind {
      case .subscriptionGracePeriodEntered, .subscriptionBillingFailed,
        .subscriptionBillingRecovered, .subscriptionExpired:
        $0.at <= moment && $0.at >= governing.start
      default: false
      }
    }
    var state = State.expired
    if let billing, billing.kind == .subscriptionGracePeriodEntered {
      let until = billing.time("gracePeriodExpiresAt") ?? .min
      state = until > moment ? .gracePeriod : .billingRetry
    } else if billing?.kind == .subscriptionBillingFailed {
      state = .billingRetry
    }
    return ChainAnswer(product: governing.product, state: state)
  }
}
