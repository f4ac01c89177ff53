#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The status of what a path leads to, through symbolic links. It is used for files that are about
/// to be written.
public struct PathStatus: Sendable, Hashable {
  /// The kind of destination.
  public enum Kind: Sendable, Hashable {
    case file
    case folder
    /// Something that is written to and never replaced: a terminal or another character device, a
    /// pipe, or a socket.
    case stream
    /// A whole disk, or anything else.
    case other
  }

  public let kind: Kind
  private let device: UInt64
  private let inode: UInt64

  /// Reads the status of a path. Returns nil if nothing exists there, or if a link leads to
  /// nothing.
  ///
  /// - Throws: ``FolderError``: `denied`, `notFolder`, `other` if the name is too long.
  public init?(_ path: String) throws(FolderError) {
    guard !path.utf8.contains(0) else { throw FolderError(EINVAL, "look at", path) }
    var status = stat()
    do throws(FolderError) {
      // SAFETY: stat writes to the structure passed to it and reads the path during the call.
      try retrying("look at", path) { unsafe stat(path, &status) }
    } catch  where error.kind == .missing {
      return nil
    }
    let state = FileState(status)
    (device, inode) = (state.device, state.inode)
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFCHR, S_IFIFO, S_IFSOCK: .stream
      default: .other
      }
  }

  /// Returns whether both are the same file, whatever their paths.
  public func isSame(as other: PathStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}
