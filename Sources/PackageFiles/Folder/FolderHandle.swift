#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An open folder. Its contents are reached only through it.
///
/// Every name that you pass is one component. A name that is empty, `.` or `..`, or that contains a
/// `/` or a NUL, is rejected. Symbolic links are never followed. So a handle can only write below
/// its folder, wherever the names come from and whatever others put there at the same time.
public struct FolderHandle: ~Copyable, Sendable {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // Nothing was written through a folder's descriptor, so that there is nothing to lose.
    _ = close(descriptor)
  }

  /// Opens the folder at a path. The path may contain symbolic links, because it is the caller's
  /// own.
  ///
  /// - Throws: ``FolderError``: `missing`, `notFolder`, `denied`.
  public init(path: String) throws(FolderError) {
    guard !path.utf8.contains(0) else { throw FolderError(EINVAL, "open", path) }
    // SAFETY: open reads the path during the call.
    let descriptor = try retrying("open", path) {
      unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    self.init(descriptor: descriptor)
  }

  /// Creates a folder at a path whose parent exists.
  ///
  /// - Throws: ``FolderError``: `exists`, `missing` if the parent is missing, `denied`, `full`.
  public static func make(path: String) throws(FolderError) {
    guard !path.utf8.contains(0) else { throw FolderError(EINVAL, "make", path) }
    // SAFETY: mkdir reads the path during the call.
    _ = try retrying("make", path) { unsafe mkdir(path, folderMode) }
  }

  /// Opens a folder in this one.
  ///
  /// - Throws: ``FolderError``: `missing`; `notFolder` if a symbolic link or a file is there.
  public func folder(_ name: String) throws(FolderError) -> FolderHandle {
    try refuseUnlessComponent(name, "open")
    return try folder(Array(name.utf8))
  }

  func folder(_ name: [UInt8]) throws(FolderError) -> FolderHandle {
    // SAFETY: openat reads the name during the call.
    let opened = try retrying("open", String(decoding: name, as: UTF8.self)) {
      unsafe withName(name) {
        unsafe openat(descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
    }
    return FolderHandle(descriptor: opened)
  }

  /// Opens a folder in this one, and creates it first if it is missing.
  ///
  /// - Throws: ``FolderError``, as ``folder(_:)`` and ``makeFolder(_:)``.
  public func folderMade(_ name: String) throws(FolderError) -> FolderHandle {
    do throws(FolderError) {
      return try folder(name)
    } catch  where error.kind == .missing {
      do throws(FolderError) {
        try makeFolder(name)
      } catch  where error.kind == .exists {
        // Somebody else made it meanwhile: it is opened like any other.
        return try folder(name)
      }
      return try folder(name)
    }
  }
}

/// The permissions of new folders, before the process's own mask. Content is not secret.
let folderMode: mode_t = 0o755

/// Rejects a name that is not a single component of a path.
func refuseUnlessComponent(_ name: String, _ operation: String) throws(FolderError) {
  let bytes = name.utf8
  guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), name != ".",
    name != ".."
  else { throw FolderError(EINVAL, operation, name) }
}

/// Repeats a system call as long as a signal interrupts it.
///
/// - Throws: ``FolderError`` if it returns a negative number.
@discardableResult
func retrying(
  _ operation: String, _ name: String, _ call: () -> Int32
) throws(FolderError) -> Int32 {
  while true {
    let result = call()
    if result >= 0 { return result }
    let number = errno
    guard number == EINTR else { throw FolderError(number, operation, name) }
  }
}
