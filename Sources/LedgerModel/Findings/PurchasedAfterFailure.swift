import LedgerEvents

/// `purchased-after-failure` (info): the first purchased delivery of a transaction comes up to 24
/// hours after another transaction failed that has the same product and the same account (if
/// neither has an account: the same device). Once per transaction.
enum PurchasedAfterFailure {
  /// How long after a failure a purchase counts, in microseconds.
  static let spanMax: Int64 = 24 * Instant.hour

  static func breaks(
    _ fact: Fact, _ step: Step, _ failure: FailureState, failedHolder: Holder
  ) -> Bool {
    failure.transaction != step.transaction && failure.product == step.product
      && fact.occurredAt - failure.time <= spanMax && failedHolder == step.holder
      && (step.holder != .nobody || failure.device == fact.device)
  }
}
