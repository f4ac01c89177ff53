#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A file that is held open after it was read, to tell cheaply whether it is still the one at its
/// path.
///
/// Comparing sizes and times alone is not enough: a file that takes its place within the same tick
/// of the clock can have both in common, and even its inode, once nobody uses that any more. While
/// the file is open, the system gives its inode to no other file. So whoever replaces the file by a
/// new one is always noticed. A program that writes into the file itself is noticed if the size or
/// the time of change differs.
package final class HeldFile: Sendable {
  private let descriptor: Int32
  private let name: String
  /// The state before the file was read. If it changes during that, it differs afterwards.
  private let state: FileState

  fileprivate init(descriptor: Int32, name: String) throws(FolderError) {
    (self.descriptor, self.name) = (descriptor, name)
    var status = stat()
    do throws(FolderError) {
      // SAFETY: fstat fills in the structure passed to it.
      try retrying("look at", name) { unsafe fstat(descriptor, &status) }
    } catch {
      _ = close(descriptor)
      throw error
    }
    state = FileState(status)
  }

  deinit {
    // Nothing was written through the descriptor, so nothing can be lost.
    _ = close(descriptor)
  }

  /// Whether it is a regular file, and no folder, pipe or device.
  package var isRegular: Bool { state.type == .file }

  /// The size in bytes when it was opened.
  package var byteCount: UInt64 { state.bytes }

  /// Returns the first bytes of the file. Call it once: it reads on where it ended.
  ///
  /// - Parameter bytesMax: The maximum number of bytes to read.
  /// - Complexity: O(*n*) in the number of bytes read.
  /// - Throws: ``FolderError``.
  package func contents(bytesMax: Int) throws(FolderError) -> [UInt8] {
    try firstBytes(of: descriptor, called: name, bytesMax: bytesMax)
  }

  /// Returns whether this file is at a path, in the state in which it was opened. Other permissions
  /// are another state.
  ///
  /// - Parameter path: The path of the file. A link in place of the file is not followed.
  /// - Complexity: One system call.
  /// - Throws: ``FolderError``, but not if nothing is there.
  package func isUnchanged(at path: String) throws(FolderError) -> Bool {
    guard !path.utf8.contains(0) else { throw FolderError(EINVAL, "look at", path) }
    var status = stat()
    do throws(FolderError) {
      // SAFETY: lstat fills in the structure passed to it and reads the path during the call.
      try retrying("look at", path) { unsafe lstat(path, &status) }
    } catch  where error.kind == .missing {
      return false
    }
    return FileState(status) == state
  }
}

extension FolderHandle {
  /// Opens a file for reading, and keeps it open; nil if nothing has that name.
  ///
  /// - Parameter name: A single name, without a folder.
  /// - Throws: ``FolderError``: `notFolder` if a symbolic link has that name, `denied`.
  package func hold(_ name: String) throws(FolderError) -> HeldFile? {
    try refuseUnlessComponent(name, "open")
    let file: Int32
    do throws(FolderError) {
      // SAFETY: openat reads the name during the call. Without O_NONBLOCK, a pipe would wait for a
      // writer.
      file = try retrying("open", name) {
        unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      }
    } catch  where error.kind == .missing {
      return nil
    }
    return try HeldFile(descriptor: file, name: name)
  }
}
