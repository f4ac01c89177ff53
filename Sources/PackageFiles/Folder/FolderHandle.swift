#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An open folder, through which alone what lies in it is reached.
///
/// Every name that is handed to it is one component: a name that is empty, `.`, `..`, or has a `/`
/// or a NUL in it is refused, and a symbolic link is never followed. Whoever holds a handle
/// therefore writes below that folder and nowhere else, whatever the names come from and whatever
/// others put there meanwhile.
public struct FolderHandle: ~Copyable, Sendable {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // Nothing was written through a folder's descriptor, so that there is nothing to lose.
    _ = close(descriptor)
  }

  /// Opens the folder at a path, which may lead over symbolic links: it is the caller's own.
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

  /// Makes a folder at a path whose parent is there.
  ///
  /// - Throws: ``FolderError``: `exists`, `missing` where the parent is, `denied`, `full`.
  public static func make(path: String) throws(FolderError) {
    guard !path.utf8.contains(0) else { throw FolderError(EINVAL, "make", path) }
    // SAFETY: mkdir reads the path during the call.
    _ = try retrying("make", path) { unsafe mkdir(path, folderMode) }
  }

  /// Opens a folder in this one.
  ///
  /// - Throws: ``FolderError``: `missing`; `notFolder` where a symbolic link or a file is there.
  public func folder(_ name: String) throws(FolderError) -> FolderHandle {
    try refuseUnlessComponent(name, "open")
    // SAFETY: openat reads the name during the call.
    let opened = try retrying("open", name) {
      unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    return FolderHandle(descriptor: opened)
  }

  /// Opens a folder in this one, and makes it first where it is missing.
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

/// The rights of folders that are made, before the process's own mask: content is no secret.
let folderMode: mode_t = 0o755

/// Refuses what is no single component of a path.
func refuseUnlessComponent(_ name: String, _ operation: String) throws(FolderError) {
  let bytes = name.utf8
  guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), name != ".",
    name != ".."
  else { throw FolderError(EINVAL, operation, name) }
}

/// Calls the system again for as long as a signal interrupts it.
///
/// - Throws: ``FolderError`` where it returns a negative number.
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
