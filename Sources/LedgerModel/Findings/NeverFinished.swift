/// `never-finished` (warning): a transaction is open, and the delivery that opened it was more than
/// 24 hours ago. A failure from StoreKit 2 opens nothing. Once per transaction.
enum NeverFinished {
  static func holds(_ queue: QueueState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    queue.isOpen && moment - queue.openedAt > thresholds.neverFinished
  }
}
