/// One entry of a content package, as its container states it. Nothing in it has been verified.
public struct PackageEntry: Hashable, Sendable {
  /// The kind of an entry.
  public enum Kind: Hashable, Sendable {
    /// A file, with its size in bytes if the container states it before the data.
    case file(bytes: UInt64?)
    case folder
    /// A symbolic link and its target.
    case link(target: String)
    /// Another name of an earlier file, given by that file's path.
    case hardLink(target: String)
    /// A device, a pipe, a socket, or another kind that the container names.
    case special(String)
  }

  /// The path as the container states it. It can be absolute, contain `..`, or not be UTF-8. In the
  /// last case it is repaired, and ``isPathValid`` is false.
  public var path: String
  /// False if the path's bytes are not UTF-8.
  public var isPathValid: Bool
  public var kind: Kind
  /// The POSIX permissions, at most 0o7777.
  public var permissions: UInt32

  public init(
    path: String, isPathValid: Bool = true, kind: Kind, permissions: UInt32
  ) {
    self.path = path
    self.isPathValid = isPathValid
    self.kind = kind
    self.permissions = permissions
  }
}
