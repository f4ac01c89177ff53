#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An open folder. All access to its contents goes through it.
///
/// Every name that you pass must be a single component. A name that is empty, `.` or `..`, or that
/// contains a `/` or a NUL, is refused. Symbolic links are never followed. A handle can therefore
/// write only below its folder, wherever the names come from and whatever other processes do there
/// at the same time.
public struct FolderHandle: ~Copyable, Sendable {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // Nothing was written through a folder's descriptor, so nothing can be lost.
    _ = close(descriptor)
  }

  /// Opens the folder at a path. Symbolic links in the path are followed, because the path comes
  /// from the caller.
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

  /// Creates a folder at a path. Its parent must exist.
  ///
  /// - Throws: ``FolderError``: `exists`, `missing` if the parent is missing, `denied`, `full`.
  public static func make(path: String) throws(FolderError) {
    guard !path.utf8.contains(0) else { throw FolderError(EINVAL, "make", path) }
    // SAFETY: mkdir reads the path during the call.
    _ = try retrying("make", path) { unsafe mkdir(path, folderMode) }
  }

  /// Opens a folder in this one.
  ///
  /// - Throws: ``FolderError``: `missing`; `notFolder` if there is a symbolic link or a file
  ///   instead.
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

  /// Opens a folder in this one, creating it if it is missing.
  ///
  /// - Parameters:
  ///   - name: A single name.
  ///   - isPrivate: Whether only its owner may look into it, if it is created.
  /// - Throws: ``FolderError``, like ``folder(_:)`` and ``makeFolder(_:isPrivate:)``.
  public func folderMade(
    _ name: String, isPrivate: Bool = false
  ) throws(FolderError) -> FolderHandle {
    do throws(FolderError) {
      return try folder(name)
    } catch  where error.kind == .missing {
      do throws(FolderError) {
        try makeFolder(name, isPrivate: isPrivate)
      } catch  where error.kind == .exists {
        // Another process created it in the meantime: open it like any other.
        return try folder(name)
      }
      return try folder(name)
    }
  }
}

/// The permissions of new folders, before the process's umask is applied. Content is not secret.
let folderMode: mode_t = 0o755

/// The permissions of folders with personal data or secrets.
let privateFolderMode: mode_t = 0o700

/// Throws if a name is not a single component of a path.
func refuseUnlessComponent(_ name: String, _ operation: String) throws(FolderError) {
  let bytes = name.utf8
  guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), name != ".",
    name != ".."
  else { throw FolderError(EINVAL, operation, name) }
}

/// Repeats a system call while signals interrupt it.
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
