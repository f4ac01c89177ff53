/// `delivered-after-finish` (info): a queue delivery of a transaction that was finished and is not
/// open, to a device that it was delivered to before. Once per delivery.
enum DeliveredAfterFinish {
  static func breaks(_ queue: QueueState) -> Bool { queue.isFinishedAndNotOpen }
}
