/// The format of a package on disk, detected from its first bytes and never from its name.
public enum PackageFormat: String, Sendable, Hashable, CaseIterable {
  /// A folder, as on the device.
  case folder
  /// The `.pkg` that is uploaded, which is a xar.
  case pkg
  case zip
}
