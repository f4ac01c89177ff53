public import LedgerEvents

extension SharedContext {
  /// What the absent device has open at a moment.
  public func findings(
    at moment: Int64, in environment: StoreEnvironment, thresholds: Thresholds = .standard
  ) -> [Finding] {
    absentDevice(in: environment).unansweredRestores.filter {
      RestoreUnanswered.holds(requestedAt: $0.key.time, at: moment, thresholds)
    }.map {
      Finding(
        rule: .restoreUnanswered, environment: environment, position: $0.key.position,
        occurredAt: $0.key.time, account: $0.account)
    }
  }
}
