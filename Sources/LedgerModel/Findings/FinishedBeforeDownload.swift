/// `finished-before-download` (critical): at a closing finish one of the transaction's store-hosted
/// downloads on the finishing device has not ended. Announced and never started counts, except for
/// a restore of which nothing was ever requested there (`finished-without-download`). The queue now
/// cancels it. Once per closing finish.
enum FinishedBeforeDownload {
  static func breaks(_ closing: ClosingFinish) -> Bool {
    closing.anyNotEnded && !FinishedWithoutDownload.breaks(closing)
  }
}
