/// `finished-before-fulfillment` (critical): the first `purchase.fulfilled` or `.fulfillmentFailed`
/// of a transaction comes when it was finished before: had it failed, the queue could not have
/// brought the purchase back. Once per transaction.
enum FinishedBeforeFulfillment {
  static func breaks(_ transaction: TransactionState) -> Bool {
    !transaction.marks.contains(.fulfillmentSeen) && transaction.queue.wasFinished
  }
}
