public import LedgerEvents

extension SharedContext {
  /// The rules of the second table that hold at a moment for the absent device.
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
