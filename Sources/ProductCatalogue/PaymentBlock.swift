public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// A device that may not pay, by its newest `payments.checked`, and what was tried there all the
/// same.
public struct PaymentBlock: Sendable {
  /// A `payment.added` while payments were not allowed: the finding `payment-not-allowed`.
  public struct Attempt: Sendable {
    public var position: UInt64
    public var occurredAt: Instant
    public var account: Name?
    public var product: Name?
    public var payment: Name?
  }

  /// `nil` for the absent device.
  public var device: Name?
  /// The accounts that its checks and attempts name, in their order.
  public var accounts: [Name]
  /// The first check of the last run of checks that say so.
  public var since: Instant
  /// The newest check.
  public var lastChecked: Instant
  public var position: UInt64
  public var attempts: [Attempt]
}

extension LedgerView {
  /// The devices that may not pay at the clocks, by name, with what was tried on them since.
  ///
  /// - Parameter query: Its `storefront` and `product` count for nothing.
  /// - Complexity: O(*n*) in the positions, one byte of each; the checks are held, and the payments
  ///   of the devices that may not pay.
  /// - Throws: ``LedgerError``.
  public func paymentBlocks(_ query: CatalogueQuery) throws(LedgerError) -> [PaymentBlock] {
    var checks: [Name?: [PaymentMark]] = [:]
    try marks(of: .paymentsChecked, query) { _ in
      true
    } body: { mark in
      checks[mark.event.device, default: []].append(mark)
    }
    var blocks: [Name?: PaymentBlock] = [:]
    var starts: [Name?: FoldPlace] = [:]
    for (device, marks) in checks {
      let sorted = marks.sorted { $0.place < $1.place }
      let run = sorted.suffix(from: sorted.lastIndex { $0.isAllowed }.map { $0 + 1 } ?? 0)
      guard let first = run.first, let last = run.last else { continue }
      starts[device] = first.place
      blocks[device] = PaymentBlock(
        device: device, accounts: [], since: first.place.time, lastChecked: last.place.time,
        position: last.place.position, attempts: [])
      for mark in run { blocks[device]?.note(mark.event.account) }
    }
    guard !blocks.isEmpty else { return [] }
    var attempts: [PaymentMark] = []
    try marks(of: .paymentAdded, query) { mark in
      starts[mark.event.device].map { $0 < mark.place } ?? false
    } body: { mark in
      attempts.append(mark)
    }
    for mark in attempts.sorted(by: { $0.place < $1.place }) {
      let event = mark.event
      blocks[event.device]?.note(event.account)
      blocks[event.device]?.attempts.append(
        PaymentBlock.Attempt(
          position: mark.place.position, occurredAt: mark.place.time, account: event.account,
          product: event.product, payment: event.payment))
    }
    return blocks.values.sorted { ($0.device ?? "") < ($1.device ?? "") }
  }

  /// Hands out the events of a kind that are wanted and of the query's app and environment; that is
  /// looked at last, because it takes a fold.
  private func marks(
    of kind: EventKind, _ query: CatalogueQuery, where isWanted: (PaymentMark) -> Bool,
    body: (PaymentMark) -> Void
  ) throws(LedgerError) {
    try events(ofKinds: [kind], clocks: query.clocks) { (recorded, place) throws(LedgerError) in
      let mark = PaymentMark(event: recorded.event, place: place)
      let app = recorded.event.app
      if query.app == nil || app == nil || app == query.app, isWanted(mark),
        try environment(of: recorded.position) == query.environment
      {
        body(mark)
      }
      return true
    }
  }
}

/// A check, or a payment, at its place.
private struct PaymentMark {
  var event: Event
  var place: FoldPlace

  var isAllowed: Bool { event.data.boolean("allowed") ?? true }
}

extension PaymentBlock {
  fileprivate mutating func note(_ account: Name?) {
    if let account, !accounts.contains(account) { accounts.append(account) }
  }
}
