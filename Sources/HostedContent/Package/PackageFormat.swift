/// How a package lies on the disk; told by its first bytes, never by its name.
public enum PackageFormat: String, Sendable, Hashable, CaseIterable {
  /// A folder as the device sees it.
  case folder
  /// The `.pkg` that is uploaded, a xar.
  case pkg
  case zip
}
