internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A call of the system about a folder or a file in it that failed.
public struct FolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it is, where a program does something about it.
  public enum Kind: Sendable, Hashable {
    /// There is nothing of that name.
    case missing
    /// Something of that name is there.
    case exists
    /// A folder was expected, and something else, such as a symbolic link, is there.
    case notFolder
    /// The folder is not empty.
    case notEmpty
    /// The disk is full, a quota is, or a file grew beyond what the process may write.
    case full
    /// The rights do not suffice, or the file system is read-only.
    case denied
    /// Nobody reads the pipe any more.
    case readerGone
    /// The system does not know the operation here.
    case unsupported
    case other
  }

  /// The value of `errno`.
  public let number: Int32
  /// What was being done, such as `make`.
  public let operation: String
  /// The name in its folder.
  public let name: String

  init(_ number: Int32, _ operation: String, _ name: String) {
    self.number = number
    self.operation = operation
    self.name = name
  }

  public var kind: Kind {
    switch number {
    case ENOENT: .missing
    case EEXIST: .exists
    case ENOTDIR, ELOOP: .notFolder
    case ENOTEMPTY: .notEmpty
    case ENOSPC, EDQUOT, EFBIG: .full
    case EACCES, EPERM, EROFS: .denied
    case EPIPE: .readerGone
    case EINVAL, ENOSYS, ENOTSUP: .unsupported
    default: .other
    }
  }

  /// The system's own words for the failure.
  public var reason: String {
    // SAFETY: strerror returns a text that ends with NUL and stays until the next call on this
    // thread; it is copied at once.
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  public var description: String { "\(name): \(operation): \(reason)" }
}
