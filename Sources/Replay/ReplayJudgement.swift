public import LedgerEvents
public import LedgerModel
public import LedgerQueries

/// How a replay judges what is still open at its end.
public struct ReplayJudgement: Sendable {
  /// The moment; `nil` for the newest believed `occurredAt` of each environment.
  public var at: Instant?
  /// How long something may stay open before it is a finding.
  public var thresholds: Thresholds

  public init(at: Instant? = nil, thresholds: Thresholds = .standard) {
    self.at = at
    self.thresholds = thresholds
  }
}

extension ReplayEvents {
  /// The events that had occurred by a moment, judged by their believed times.
  ///
  /// - Complexity: O(*n*).
  public func occurred(by moment: Instant) -> ReplayEvents {
    filter { $0.believedTime <= moment.microseconds }
  }
}
