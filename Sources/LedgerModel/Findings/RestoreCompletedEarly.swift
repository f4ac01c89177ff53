/// `restore-completed-early` (warning): a transaction of a restore is first delivered after the
/// restore's `restore.completed`. Once per transaction.
enum RestoreCompletedEarly {
  static func breaks(isCompleted: Bool) -> Bool { isCompleted }
}
