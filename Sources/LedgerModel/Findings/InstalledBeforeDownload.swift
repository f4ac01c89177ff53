import LedgerEvents

/// `installed-before-download` (error): `content.installStarted`, or `content.installed` without an
/// open start, names a download of the transaction that is not finished on that device. Progress
/// was taken for completion. Once per install.
enum InstalledBeforeDownload {
  /// `download` is the state of the download that the install names; `nil` if it names none.
  static func breaks(
    _ kind: EventKind, hadOpenStart: Bool, download: DownloadState.Phase?
  ) -> Bool {
    guard let download, download != .finished else { return false }
    return kind == .contentInstallStarted || (kind == .contentInstalled && !hadOpenStart)
  }
}
