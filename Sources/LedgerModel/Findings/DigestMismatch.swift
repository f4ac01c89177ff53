import LedgerEvents

/// `digest-mismatch` (error): `content.installed` states a different `digest` than an earlier one
/// of the same product, version (1 equals 1.0) and path. Once per install.
enum DigestMismatch {
  static func breaks(_ digest: Name, earlier: some Sequence<Name>) -> Bool {
    earlier.contains { $0 != digest }
  }
}
