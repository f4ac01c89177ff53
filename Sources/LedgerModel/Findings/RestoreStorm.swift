/// `restore-storm` (warning): at a `download.requested` of one of a restore's transactions, in it
/// or after it, more than 10 downloads on that device are requested and not ended at the same time.
/// Downloads of the transactions that the restore has delivered so far count. Once per restore.
enum RestoreStorm {
  /// How many downloads may run at the same time.
  static let runningCountMax = 10

  static func breaks(running: Int) -> Bool { running > runningCountMax }
}
