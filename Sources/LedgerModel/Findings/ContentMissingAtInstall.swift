/// `content-missing-at-install` (critical): the first `content.purged`, or `content.installFailed`
/// of the transaction, on the finishing device after a closing finish, when a download that was
/// finished then has never been installed there: the customer paid and has nothing. Once per
/// closing finish.
enum ContentMissingAtInstall {
  /// `wereInstalled` tells of each download that was finished at the closing finish.
  static func breaks(wereInstalled: [Bool]) -> Bool { wereInstalled.contains(false) }
}
