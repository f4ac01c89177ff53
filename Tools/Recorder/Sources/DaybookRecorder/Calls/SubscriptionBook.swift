/// What was recorded of each subscription, so that a status that says it again at the next launch
/// is not recorded again.
struct SubscriptionBook: Sendable, Equatable, Codable {
  /// What is new in a status.
  enum Change: Sendable {
    case expired, gracePeriodEntered, billingFailed, billingRecovered, autoRenewChanged
    case planChanged, priceIncreased

    var kind: EventKind {
      switch self {
      case .expired: .expired
      case .gracePeriodEntered: .gracePeriodEntered
      case .billingFailed: .billingFailed
      case .billingRecovered: .billingRecovered
      case .autoRenewChanged: .autoRenewChanged
      case .planChanged: .planChanged
      case .priceIncreased: .priceIncreased
      }
    }
  }

  private struct Entry: Sendable, Equatable, Codable {
    var original: String
    var state = SubscriptionStatus.State.subscribed
    var willAutoRenew = true
    var renewsAs: String?
    var priceIncrease = SubscriptionStatus.PriceIncrease.none
    /// When the store signed it, in microseconds since 1970.
    var signedAt: Int64?
  }

  /// More than an Apple ID has in one app.
  static let subscriptionsMax = 64

  private var entries: [Entry] = []

  /// What is new since the last status of the same subscription. A subscription that was never seen
  /// is taken to be subscribed, to renew itself as it is, and at its old price.
  mutating func changes(to status: SubscriptionStatus) -> [Change] {
    // An unverified renewal info or transaction is not believed.
    guard status.transaction.verificationError == nil else { return [] }
    let original = status.transaction.original ?? status.transaction.transaction
    let index = entries.firstIndex { $0.original == original }
    let known = index.map { entries[$0] } ?? Entry(original: original)
    let signedAt = status.signedAt?.microseconds
    // One that is handed over late says nothing new.
    if let signedAt, let last = known.signedAt, signedAt < last { return [] }
    // A status without a plan does not say that it is the old one.
    let next = Entry(
      original: original, state: status.state, willAutoRenew: status.willAutoRenew,
      renewsAs: status.renewsAs ?? known.renewsAs, priceIncrease: status.priceIncrease,
      signedAt: signedAt ?? known.signedAt)
    if let index { entries.remove(at: index) }
    entries.append(next)
    if entries.count > Self.subscriptionsMax { entries.removeFirst() }
    var changes: [Change] = []
    if next.state != known.state, let change = Self.change(from: known.state, to: next.state) {
      changes.append(change)
    }
    if next.willAutoRenew != known.willAutoRenew { changes.append(.autoRenewChanged) }
    if let plan = status.renewsAs, plan != known.renewsAs ?? status.transaction.product {
      changes.append(.planChanged)
    }
    if next.priceIncrease != known.priceIncrease, next.priceIncrease != .none {
      changes.append(.priceIncreased)
    }
    return changes
  }

  private static func change(
    from old: SubscriptionStatus.State, to new: SubscriptionStatus.State
  ) -> Change? {
    switch new {
    case .expired: .expired
    case .inGracePeriod: .gracePeriodEntered
    case .inBillingRetryPeriod: .billingFailed
    case .subscribed:
      // From expired it is a new purchase, which comes as a transaction.
      old == .inGracePeriod || old == .inBillingRetryPeriod ? .billingRecovered : nil
    // The transaction says it: `Transaction.updates` delivers it with its revocation.
    case .revoked: nil
    }
  }
}
