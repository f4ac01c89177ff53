/// An entry as stated in a folder or container. Nothing in it has been checked.
public struct RawEntry: Sendable, Hashable {
  /// The kind of an entry.
  public enum Kind: Sendable, Hashable {
    /// A file, with its size in bytes if it is stated.
    case file(bytes: UInt64?)
    case folder
    case link(target: [UInt8])
    /// Another name of the file with this path.
    case hardLink(target: [UInt8])
    /// Anything else, described as text.
    case special(String)
  }

  /// The bytes of the path.
  public var path: [UInt8]
  /// False if the container could not return the complete path.
  public var isPathWhole: Bool
  public var kind: Kind
  /// The POSIX permissions, at most 0o7777.
  public var permissions: UInt32
}
