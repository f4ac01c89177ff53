import LedgerEvents

/// `version-not-increased` (warning): `content.versionPublished` of a version that is not higher
/// than the one on offer. Once per event.
enum VersionNotIncreased {
  /// `onOffer` is the highest version named before; `nil` if there is none.
  static func breaks(_ version: Name, onOffer: Name?) -> Bool {
    guard let onOffer else { return false }
    return VersionOrder.compare(version, onOffer) <= 0
  }
}
