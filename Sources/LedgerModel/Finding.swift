public import LedgerEvents

/// A broken rule: which rule, at which event, and whom and what it concerns. If a number is 0, the
/// finding concerns nothing of that kind.
public struct Finding: Hashable, Sendable {
  public var rule: Rule
  public var environment: StoreEnvironment
  /// The position of the event that completes the finding, or that opened what is still open.
  public var position: UInt64
  /// Believed store time of that event, in microseconds.
  public var occurredAt: Int64
  public var account: NameNumber
  public var device: NameNumber
  public var transaction: NameNumber
  public var product: NameNumber
  public var download: NameNumber
  /// A version, a digest or another text that adds detail.
  public var detail: Name?

  public init(
    rule: Rule, environment: StoreEnvironment, position: UInt64, occurredAt: Int64,
    account: NameNumber = 0, device: NameNumber = 0, transaction: NameNumber = 0,
    product: NameNumber = 0, download: NameNumber = 0, detail: Name? = nil
  ) {
    self.rule = rule
    self.environment = environment
    self.position = position
    self.occurredAt = occurredAt
    self.account = account
    self.device = device
    self.transaction = transaction
    self.product = product
    self.download = download
    self.detail = detail
  }

  public var severity: Rule.Severity { rule.severity }
}

extension Finding: Comparable {
  /// Orders by position, environment, rule, transaction, download and device, then by everything
  /// else that can differ. So two findings that are not equal always have an order.
  public static func < (left: Finding, right: Finding) -> Bool {
    if left.position != right.position { return left.position < right.position }
    if left.environment != right.environment { return left.environment < right.environment }
    if left.rule != right.rule { return left.rule.rawValue < right.rule.rawValue }
    if left.transaction != right.transaction { return left.transaction < right.transaction }
    if left.download != right.download { return left.download < right.download }
    if left.device != right.device { return left.device < right.device }
    if left.product != right.product { return left.product < right.product }
    if left.account != right.account { return left.account < right.account }
    if left.occurredAt != right.occurredAt { return left.occurredAt < right.occurredAt }
    guard let detail = left.detail, let other = right.detail else {
      return left.detail == nil && right.detail != nil
    }
    return detail < other
  }
}

/// How long something may stay open before a rule of the second table holds, in microseconds.
public struct Thresholds: Hashable, Sendable {
  public var neverFinished: Int64 = 24 * Instant.hour
  public var paymentUnanswered: Int64 = Instant.hour
  public var downloadStalled: Int64 = Instant.hour
  public var installInterrupted: Int64 = Instant.hour
  public var restoreUnanswered: Int64 = Instant.hour
  public var restoreIncomplete: Int64 = Instant.hour
  public var unfulfilled: Int64 = Instant.hour
  public var fulfilledUnpurchased: Int64 = Instant.hour

  public init() {}

  /// The rules that have a threshold.
  public static let rules: [Rule] = [
    .neverFinished, .paymentUnanswered, .downloadStalled, .installInterrupted, .restoreUnanswered,
    .restoreIncomplete, .unfulfilled, .fulfilledUnpurchased,
  ]

  /// Sets the threshold of a rule, in microseconds. Returns false if the rule has none.
  public mutating func set(_ rule: Rule, to microseconds: Int64) -> Bool {
    switch rule {
    case .neverFinished: neverFinished = microseconds
    case .paymentUnanswered: paymentUnanswered = microseconds
    case .downloadStalled: downloadStalled = microseconds
    case .installInterrupted: installInterrupted = microseconds
    case .restoreUnanswered: restoreUnanswered = microseconds
    case .restoreIncomplete: restoreIncomplete = microseconds
    case .unfulfilled: unfulfilled = microseconds
    case .fulfilledUnpurchased: fulfilledUnpurchased = microseconds
    default: return false
    }
    return true
  }

  /// The defaults of `rules.md`.
  public static let standard = Thresholds()
}
