/// `finished-before-download` (critical): at a closing finish, one of the transaction's
/// store-hosted downloads on the finishing device has not ended. The queue now cancels it. A
/// download that was announced and never started counts, too, except in a restore of which nothing
/// was ever requested on that device (`finished-without-download`). Once per closing finish.
enum FinishedBeforeDownload {
  static func breaks(_ closing: ClosingFinish) -> Bool {
    closing.anyNotEnded && !FinishedWithoutDownload.breaks(closing)
  }
}
