/// `finished-before-install` (critical): at a closing finish, one of the downloads is finished, but
/// no install of it was begun on that device. Once per closing finish.
enum FinishedBeforeInstall {
  static func breaks(_ closing: ClosingFinish) -> Bool { closing.anyFinishedWithoutInstall }
}
