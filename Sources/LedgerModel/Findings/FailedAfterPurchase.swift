import LedgerEvents

/// `failed-after-purchase` (error): the queue delivers a transaction as failed whose reported state
/// is purchased or restored. The queue contradicts itself, and an app that believes the last report
/// takes away what was paid for. Once per transaction.
enum FailedAfterPurchase {
  /// `queue` is the state before the delivery.
  static func breaks(_ kind: EventKind, _ queue: QueueState) -> Bool {
    kind == .transactionFailed
      && (queue.reported == .transactionPurchased || queue.reported == .transactionRestored)
  }
}
