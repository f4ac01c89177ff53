import LedgerEvents

/// `install-downgraded` (warning): `content.installed` of a lower version than the installed one.
/// Once per install.
enum InstallDowngraded {
  static func breaks(_ version: Name, installed: ContentState) -> Bool {
    installed.isPresent && VersionOrder.compare(version, installed.version) < 0
  }
}
