/// `backup-not-excluded` (info): `content.installed` with `excludedFromBackup` false. Once per
/// install.
enum BackupNotExcluded {
  static func breaks(_ fact: Fact) -> Bool { fact.detail?.fields.excludedFromBackup == false }
}
