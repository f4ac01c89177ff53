/// `redelivered` (info): a queue delivery of an open transaction to a device that it was delivered
/// to before. Once per delivery.
enum Redelivered {
  static func breaks(_ queue: QueueState) -> Bool { queue.isOpen }
}
