/// `restore-storm` (warning): at a `download.requested` of one of a restore's transactions, in it
/// or after it, more than 10 downloads of that device, of the transactions that the restore has
/// delivered so far, are requested and not ended together. Once per restore.
enum RestoreStorm {
  /// How many downloads may run together.
  static let runningCountMax = 10

  static func breaks(running: Int) -> Bool { running > runningCountMax }
}
