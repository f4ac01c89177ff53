#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An exclusive lock between processes, on the file at a path.
///
/// It is released when the value is destroyed, and by the system when the process dies, for
/// whatever reason. The empty file stays. If it were removed, two processes could hold locks on two
/// files with the same name. Two locks of the same process exclude each other, too. A child created
/// by `fork` shares its parent's lock until it calls `exec` or the parent releases it.
///
/// Source: flock(2).
public struct FileLock: ~Copyable, Sendable {
  private let descriptor: Int32

  deinit {
    // Closing alone would leave it to a child that another thread is just starting. Nothing can be
    // done about a failure.
    _ = flock(descriptor, LOCK_UN)
    _ = close(descriptor)
  }

  /// Takes the lock of `path`; returns `nil` if it is taken.
  ///
  /// - Parameters:
  ///   - path: The file. It is created if it is missing.
  ///   - mode: The permissions of the file if it is created.
  /// - Throws: ``LMDBError`` with the operating system's error.
  public static func tryLock(
    _ path: String, mode: UInt32 = 0o600
  ) throws(LMDBError) -> FileLock? {
    let lock = FileLock(descriptor: try openFile(path, mode))
    return try lock.take(LOCK_EX | LOCK_NB) ? consume lock : nil
  }

  /// Takes the lock of `path`, and waits while somebody else has it.
  ///
  /// - Parameters:
  ///   - path: The file. It is created if it is missing.
  ///   - mode: The permissions of the file if it is created.
  /// - Throws: ``LMDBError`` with the operating system's error.
  @available(*, noasync, message: "waiting for a lock blocks the thread")
  public static func lock(_ path: String, mode: UInt32 = 0o600) throws(LMDBError) -> FileLock {
    let lock = FileLock(descriptor: try openFile(path, mode))
    _ = try lock.take(LOCK_EX)
    return lock
  }

  /// Takes the lock of the folder `path`; returns `nil` if it is taken. A renamed folder keeps its
  /// lock.
  ///
  /// - Parameter path: The folder, which must exist. A symbolic link is not followed.
  /// - Throws: ``LMDBError`` with the operating system's error.
  package static func tryLock(folder path: String) throws(LMDBError) -> FileLock? {
    try tryLock(existing: path, flags: O_DIRECTORY)
  }

  /// Takes the lock of the file or folder `path`; returns `nil` if it is taken. It keeps its lock
  /// if it is renamed.
  ///
  /// - Parameter path: The file or folder, which must exist. A symbolic link is not followed.
  /// - Throws: ``LMDBError`` with the operating system's error.
  package static func tryLock(existing path: String) throws(LMDBError) -> FileLock? {
    // Opening a pipe does not wait for its other side.
    try tryLock(existing: path, flags: O_NONBLOCK)
  }

  private static func tryLock(
    existing path: String, flags: Int32
  ) throws(LMDBError) -> FileLock? {
    let flags = O_NOFOLLOW | O_CLOEXEC | flags
    // Some network file systems give an exclusive lock only to who may write. Folders cannot be
    // opened to be written.
    // SAFETY: the path is a NUL-terminated copy during the call.
    var descriptor = unsafe open(path, O_RDWR | flags)
    let failure = errno
    if descriptor < 0, [EISDIR, EACCES, EPERM, EROFS].contains(failure) {
      // SAFETY: as above.
      descriptor = unsafe open(path, O_RDONLY | flags)
    }
    guard descriptor >= 0 else { throw systemFailure("lock", path) }
    let lock = FileLock(descriptor: descriptor)
    return try lock.take(LOCK_EX | LOCK_NB) ? consume lock : nil
  }

  /// Releases the lock.
  public consuming func unlock() {}

  /// Whether an attempt failed because the file system has no locks.
  package static func areMissing(_ error: LMDBError) -> Bool {
    guard case .system(let number) = error.code else { return false }
    return [ENOTSUP, EOPNOTSUPP, ENOSYS, ENOLCK].contains(number)
  }

  /// Returns false if the lock is taken and the operation does not wait.
  private borrowing func take(_ operation: Int32) throws(LMDBError) -> Bool {
    while flock(descriptor, operation) != 0 {
      let number = errno
      if number == EWOULDBLOCK { return false }
      guard number == EINTR else { throw LMDBError(.system(number), operation: "lock") }
    }
    return true
  }

  private static func openFile(_ path: String, _ mode: UInt32) throws(LMDBError) -> Int32 {
    while true {
      // SAFETY: the path is a NUL-terminated copy during the call.
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(mode))
      if descriptor >= 0 { return descriptor }
      let number = errno
      guard number == EINTR else {
        throw LMDBError(
          .system(number), operation: "lock",
          message: "\(path) cannot be opened to be locked: \(systemMessage(number))")
      }
    }
  }
}
