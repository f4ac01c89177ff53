/// An entry of a folder or a container as it is stated there, nothing of it looked at.
public struct RawEntry: Sendable, Hashable {
  /// What an entry is.
  public enum Kind: Sendable, Hashable {
    /// A file with its bytes, where they are stated.
    case file(bytes: UInt64?)
    case folder
    case link(target: [UInt8])
    /// Another name of the file at a path.
    case hardLink(target: [UInt8])
    /// What else it is, in words.
    case special(String)
  }

  /// The path's bytes.
  public var path: [UInt8]
  /// False where the container could not give the path as it is stated.
  public var isPathWhole: Bool
  public var kind: Kind
  /// The rights of a POSIX file, 0o7777 at most.
  public var permissions: UInt32
}
