/// The format of a package on disk, detected from its first bytes and never from its name.
public enum PackageFormat: String, Sendable, Hashable, CaseIterable {
  /// A folder as the device sees it.
  case folder
  /// The `.pkg` that is uploaded: a xar.
  case pkg
  case zip
}
