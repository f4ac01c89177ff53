/// `unfulfilled` (critical): a transaction was bought and has left the queue, its chain has no
/// standing refund, and the newest report about giving what was bought, more than 1 hour ago, says
/// that it failed. If nobody reported whether it was given, the newest verdict on its receipt
/// counts. It was paid for, but never given. Once per transaction.
enum Unfulfilled {
  static func holds(
    _ refusal: OutcomeState, of transaction: TransactionState, isTakenAway: Bool,
    at moment: Int64, _ thresholds: Thresholds
  ) -> Bool {
    transaction.hasPurchase && transaction.hasLeftTheQueue && !isTakenAway
      && moment - refusal.time > thresholds.unfulfilled
  }
}
