internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A failed system call on a folder or a file in it.
public struct FolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure, as far as a program can handle it.
  public enum Kind: Sendable, Hashable {
    /// There is nothing with that name.
    case missing
    /// Something already has that name.
    case exists
    /// A folder was expected, but something else is there, such as a symbolic link.
    case notFolder
    /// The folder is not empty.
    case notEmpty
    /// The disk or a quota is full, or the file exceeds the size that the process may write.
    case full
    /// The process lacks permission, or the file system is read-only.
    case denied
    /// The pipe no longer has a reader.
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

  /// The system's description of the failure.
  public var reason: String {
    // SAFETY: strerror returns a NUL-terminated string that is valid until the next call on this
    // thread; it is copied immediately.
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  public var description: String { "\(name): \(operation): \(reason)" }
}
