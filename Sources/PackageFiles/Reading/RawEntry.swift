/// An entry of a folder or container, as it is stated there. Nothing in it has been checked.
public struct RawEntry: Sendable, Hashable {
  /// What an entry is.
  public enum Kind: Sendable, Hashable {
    /// A file, with its size in bytes if stated.
    case file(bytes: UInt64?)
    case folder
    case link(target: [UInt8])
    /// Another name of the file at a path.
    case hardLink(target: [UInt8])
    /// Anything else, in words.
    case special(String)
  }

  /// The bytes of the path.
  public var path: [UInt8]
  /// False if the container could not give the path as it is stated.
  public var isPathWhole: Bool
  public var kind: Kind
  /// The permissions of a POSIX file, 0o7777 at most.
  public var permissions: UInt32
}
