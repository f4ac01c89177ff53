internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A failed system call for a folder or a file in it.
public struct FolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure, for failures that a program can handle.
  public enum Kind: Sendable, Hashable {
    /// Nothing has that name.
    case missing
    /// Something already has that name.
    case exists
    /// A folder was expected, but something else is there, such as a symbolic link.
    case notFolder
    /// The folder is not empty.
    case notEmpty
    /// The disk or a quota is full, or a file grew beyond what the process may write.
    case full
    /// The process lacks permission, or the file system is read-only.
    case denied
    /// Nobody reads the pipe any more.
    case readerGone
    /// The system does not support the operation here.
    case unsupported
    case other
  }

  /// The value of `errno`.
  public let number: Int32
  /// The operation, such as `make`.
  public let operation: String
  /// The name in the folder.
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

  /// The system's own description of the failure.
  public var reason: String {
    // SAFETY: strerror returns a text that ends with NUL and stays until the next call on this
    // thread; it is copied at once.
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  public var description: String { "\(name): \(operation): \(reason)" }
}
