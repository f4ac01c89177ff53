import LedgerEvents

/// `failed-after-purchase` (error): a queue delivery as failed of a transaction whose reported
/// state is purchased or restored. The queue contradicts itself, and an app that believes the last
/// word takes away what was paid. Once per transaction.
enum FailedAfterPurchase {
  /// `queue` is what was known before the delivery.
  static func breaks(_ kind: EventKind, _ queue: QueueState) -> Bool {
    kind == .transactionFailed
      && (queue.reported == .transactionPurchased || queue.reported == .transactionRestored)
  }
}
