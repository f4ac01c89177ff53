/// `content-missing-at-install` (critical): the first `content.purged`, or `content.installFailed`
/// of the transaction, on the finishing device after a closing finish, if a download that was
/// finished at that time has never been installed there. The customer paid and has nothing. Once
/// per closing finish.
enum ContentMissingAtInstall {
  /// `wereInstalled` says this for each download that was finished at the closing finish.
  static func breaks(wereInstalled: [Bool]) -> Bool { wereInstalled.contains(false) }
}
