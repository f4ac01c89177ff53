import LedgerEvents

/// `finished-while-purchasing` (error): `transaction.finished` of a transaction that was never
/// delivered and whose reported state is purchasing or deferred. The store ends the app. Once per
/// finish.
enum FinishedWhilePurchasing {
  static func breaks(_ queue: QueueState) -> Bool {
    !queue.wasDelivered
      && (queue.reported == .transactionPurchasing || queue.reported == .transactionDeferred)
  }
}
