/// `install-failed-then-finished` (critical): at a closing finish, the install of one of the
/// downloads was begun on that device and has failed or not ended, whatever the download's state.
/// Once per closing finish.
enum InstallFailedThenFinished {
  static func breaks(_ closing: ClosingFinish) -> Bool { closing.anyInstallFailedOrOpen }
}
