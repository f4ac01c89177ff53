import LedgerEvents

/// `installed-before-download` (error): `content.installStarted`, or `content.installed` while no
/// start of it is open, names a transaction's download that is not finished on that device:
/// progress was taken for completion. Once per install.
enum InstalledBeforeDownload {
  /// `download` is the state of the download that the install names, `nil` where it names none.
  static func breaks(
    _ kind: EventKind, hadOpenStart: Bool, download: DownloadState.Phase?
  ) -> Bool {
    guard let download, download != .finished else { return false }
    return kind == .contentInstallStarted || (kind == .contentInstalled && !hadOpenStart)
  }
}
