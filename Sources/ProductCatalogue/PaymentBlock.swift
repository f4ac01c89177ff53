public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// A device that is not allowed to make payments, by its newest `payments.checked`, and the
/// payments that were attempted on it nevertheless.
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
  /// The accounts that its checks and attempts name, in order.
  public var accounts: [Name]
  /// The first of the consecutive newest checks that say so.
  public var since: Instant
  /// The newest check.
  public var lastChecked: Instant
  public var position: UInt64
  public var attempts: [Attempt]
}

extension LedgerView {
  /// The devices that may not pay at the clocks, sorted by name, with the attempts since then.
  ///
  /// - Parameter query: Its `storefront` and `product` are ignored.
  /// - Complexity: O(*n*) in the positions, one byte each, for the checks, which are kept in
  ///   memory; as `findings(_:)` for the attempts.
  /// - Throws: ``LedgerError``.
  public func paymentBlocks(_ query: CatalogueQuery) throws(LedgerError) -> [PaymentBlock] {
    var checks: [Name?: [PaymentMark]] = [:]
    try events(ofKinds: [.paymentsChecked], clocks: query.clocks) {
      (recorded, foldKey) throws(LedgerError) in
      // The environment is checked last, because it takes a fold.
      if query.counts(recorded.event),
        try environment(of: recorded.position) == query.environment
      {
        checks[recorded.event.device, default: []].append(
          PaymentMark(event: recorded.event, foldKey: foldKey))
      }
      return true
    }
    var blocks: [Name?: PaymentBlock] = [:]
    var starts: [Name?: EventFoldKey] = [:]
    for (device, marks) in checks {
      let sorted = marks.sorted { $0.foldKey < $1.foldKey }
      let run = sorted.suffix(from: sorted.lastIndex { $0.isAllowed }.map { $0 + 1 } ?? 0)
      guard let first = run.first, let last = run.last else { continue }
      starts[device] = first.foldKey
      blocks[device] = PaymentBlock(
        device: device, accounts: [], since: first.foldKey.time, lastChecked: last.foldKey.time,
        position: last.foldKey.position, attempts: [])
      for mark in run { blocks[device]?.note(mark.event.account) }
    }
    guard !blocks.isEmpty else { return [] }
    for (event, foldKey) in try forbiddenPayments(query) {
      guard let start = starts[event.device], start < foldKey else { continue }
      blocks[event.device]?.note(event.account)
      blocks[event.device]?.attempts.append(
        PaymentBlock.Attempt(
          position: foldKey.position, occurredAt: foldKey.time, account: event.account,
          product: event.product, payment: event.payment))
    }
    return blocks.values.sorted { ($0.device ?? "") < ($1.device ?? "") }
  }

  /// The payments for which the reducer found `payment-not-allowed`, in fold order.
  private func forbiddenPayments(
    _ query: CatalogueQuery
  ) throws(LedgerError) -> [(event: Event, foldKey: EventFoldKey)] {
    var findings = FindingsQuery()
    findings.rules = [.paymentNotAllowed]
    findings.environments = [query.environment]
    findings.clocks = query.clocks
    var payments: [(event: Event, foldKey: EventFoldKey)] = []
    for finding in try self.findings(findings) {
      let recorded = try event(at: finding.position)
      if query.counts(recorded.event) { payments.append((recorded.event, EventFoldKey(recorded))) }
    }
    return payments.sorted { $0.foldKey < $1.foldKey }
  }
}

extension CatalogueQuery {
  /// Whether an event belongs to the app asked for.
  fileprivate func counts(_ event: Event) -> Bool {
    app == nil || event.app == nil || event.app == app
  }
}

/// A check with its sort key in the fold order.
private struct PaymentMark {
  var event: Event
  var foldKey: EventFoldKey

  var isAllowed: Bool { event.data.boolean("allowed") ?? true }
}

extension PaymentBlock {
  fileprivate mutating func note(_ account: Name?) {
    if let account, !accounts.contains(account) { accounts.append(account) }
  }
}
