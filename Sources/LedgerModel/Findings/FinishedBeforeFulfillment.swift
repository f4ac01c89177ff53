/// `finished-before-fulfillment` (critical): the first `purchase.fulfilled` or `.fulfillmentFailed`
/// of a transaction comes after the transaction was finished. If fulfilling it had failed, the
/// queue could not have delivered the purchase again. Once per transaction.
enum FinishedBeforeFulfillment {
  static func breaks(_ transaction: TransactionState) -> Bool {
    !transaction.marks.contains(.fulfillmentSeen) && transaction.queue.wasFinished
  }
}
