/// `finished-twice` (warning): `transaction.finished` of a transaction that is not open and was
/// finished before. Once per finish.
enum FinishedTwice {
  static func breaks(_ queue: QueueState) -> Bool { queue.isFinishedAndNotOpen }
}
