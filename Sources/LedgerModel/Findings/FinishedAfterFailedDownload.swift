/// `finished-after-failed-download` (critical): at a closing finish, one of the downloads is failed
/// or cancelled. Once per closing finish.
enum FinishedAfterFailedDownload {
  static func breaks(_ closing: ClosingFinish) -> Bool { closing.anyFailedOrCancelled }
}
