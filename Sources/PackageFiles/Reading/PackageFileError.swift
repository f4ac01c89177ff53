#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The reason why a folder or a container could not be read.
public struct PackageFileError: Error, Sendable, Hashable {
  /// The kind of failure.
  public enum Kind: Sendable, Hashable {
    /// There is nothing with that name.
    case missing
    /// The system refused to read.
    case system
    /// The container is broken.
    case malformed
    /// The file or folder has changed since it was opened.
    case changed
  }

  public let kind: Kind
  /// The file, or the path in a folder. Bytes that are not UTF-8 are replaced.
  public let path: String
  public let message: String

  init(_ kind: Kind, path: String, _ message: String) {
    self.kind = kind
    self.path = path
    self.message = message
  }

  /// Creates an error from `errno`.
  static func system(_ operation: String, _ path: String) -> PackageFileError {
    let number = errno
    let kind: Kind = number == ENOENT || number == ENOTDIR ? .missing : .system
    // SAFETY: strerror returns a string that is valid until the next call on this thread.
    let reason = unsafe String(cString: strerror(number))
    return PackageFileError(kind, path: path, "\(operation): \(reason)")
  }
}
