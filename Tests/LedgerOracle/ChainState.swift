import LedgerEvents

/// The states of the answer, best first.
enum State: Int, Comparable {
  case active, gracePeriod, billingRetry, pending, expired, refunded, revoked

  static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }

  var text: String {
    switch self {
    case .active: "active"
    case .gracePeriod: "gracePeriod"
    case .billingRetry: "billingRetry"
    case .pending: "pending"
    case .expired: "expired"
    case .refunded: "refunded"
    case .revoked: "revoked"
    }
  }
}

/// The answer about a chain at a moment.
struct ChainAnswer {
  var product: Name
  var state: State
}

extension World {
  /// Returns the kind of a chain, by the entry that its first purchase fact uses (`model.md` 5).
  func kind(of chain: Chain) -> String? {
    guard let first = chain.firstPurchaseFact, let product = product(of: first) else { return nil }
    if let entry = catalogue.entry(of: product, usedBy: first) { return entry.kind }
    return chain.events.contains { $0.time("expiresAt") != nil } ? "autoRenewable" : "nonConsumable"
  }

  /// Returns the newest refund, revocation or reversal of one transaction (`model.md` 7).
  func verdict(on transaction: Transaction, before end: Int = .max) -> Seen? {
    var newest: Seen?
    for seen in transaction.events where seen.index < end {
      switch seen.kind {
      case .transactionRefunded, .transactionRefundReversed, .transactionRevoked:
        if let known = newest, seen.rank < known.rank { continue }
        newest = seen
      default: continue
      }
    }
    return newest
  }

  /// Returns the verdict on a chain that is one grantor: the last one in the fold order of its
  /// transactions' verdicts.
  func verdict(on chain: Chain, before end: Int = .max) -> Seen? {
    chain.transactions.compactMap { verdict(on: $0, before: end) }.max { $0.index < $1.index }
  }

  /// Returns the state for a refund or revocation in effect.
  func taken(_ verdict: Seen?) -> State? {
    switch verdict?.kind {
    case .transactionRefunded: .refunded
    case .transactionRevoked: .revoked
    default: nil
    }
  }

  /// Returns what a chain grants at a moment, or nil if it is not listed.
  func answer(of chain: Chain, at moment: Int64) -> ChainAnswer? {
    guard let first = chain.firstPurchaseFact, let product = product(of: first) else { return nil }
    switch kind(of: chain) {
    case "consumable": return nil
    case "autoRenewable": return subscription(chain, at: moment)
    case "nonRenewing":
      if let taken = taken(verdict(on: chain)) {
        return ChainAnswer(product: product, state: taken)
      }
      let end = endOfNonRenewing(chain, first: first, product: product)
      return ChainAnswer(product: product, state: moment < end ? .active : .expired)
    default:
      return ChainAnswer(product: product, state: taken(verdict(on: chain)) ?? .active)
    }
  }

  private func endOfNonRenewing(_ chain: Chain, first: Seen, product: Name) -> Int64 {
    guard let duration = catalogue.entry(of: product, usedBy: first)?.duration else { return .max }
    let facts = chain.transactions.flatMap(\.purchaseFacts).sorted { $0.index < $1.index }
    let bought = facts.filter { $0.kind != .transactionRestored }
    let counting = bought.isEmpty ? facts : bought
    let start = counting.compactMap { $0.time("purchasedAt") }.min() ?? counting[0].at
    return adding(duration, to: start) ?? .max
  }
}
