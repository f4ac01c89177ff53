import LedgerEvents

/// `version-not-increased` (warning): `content.versionPublished` of a version that is not higher
/// than the one on offer. Once per event.
enum VersionNotIncreased {
  /// `highest` is the highest version named before; `nil` if there is none.
  static func breaks(_ version: Name, highest: Name?) -> Bool {
    guard let highest else { return false }
    return VersionOrder.compare(version, highest) <= 0
  }
}
