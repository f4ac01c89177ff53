/// `finished-without-download` (info): at a closing finish, a download has not ended, but the
/// delivery is a restore and none of the transaction's downloads was ever requested on that device.
/// The app may have decided against them. Reported instead of `finished-before-download`.
enum FinishedWithoutDownload {
  static func breaks(_ closing: ClosingFinish) -> Bool {
    closing.anyNotEnded && closing.isRestore && !closing.anyRequested
  }
}
