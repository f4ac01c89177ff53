internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FolderHandle {
  /// Whether ``syncFileSystem()`` makes the contents of all files durable. If false, sync each file
  /// with ``FileWriter/sync()``.
  public static var syncsWholeFileSystems: Bool {
    #if canImport(Glibc)
      true
    #else
      false
    #endif
  }

  /// Makes the names in this folder durable.
  ///
  /// - Throws: ``FolderError``.
  public func sync() throws(FolderError) {
    try retrying("sync", ".") { fsync(descriptor) }
  }

  /// Makes everything durable that was written to the folder's file system, including the contents
  /// of files. This waits for the disk once instead of once per file.
  ///
  /// It also reports errors of the disk during earlier writes (Linux 5.8 and newer; syncfs(2)).
  ///
  /// - Throws: ``FolderError``.
  public func syncFileSystem() throws(FolderError) {
    #if canImport(Glibc)
      try retrying("sync", ".") { syncfs(descriptor) }
    #else
      try sync()
    #endif
  }
}

/// A lock between processes. The system releases it when the process that holds it ends, for any
/// reason.
public struct FolderLock: ~Copyable, Sendable {
  private let descriptor: Int32

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // Closing alone would leave it to a child that another thread is just starting. There is no way
    // to handle a failure here.
    _ = flock(descriptor, LOCK_UN)
    _ = close(descriptor)
  }
}

extension FolderHandle {
  /// Locks the file `name`, creating it if it is missing. Returns nil if another process holds the
  /// lock.
  ///
  /// - Parameters:
  ///   - name: A single name.
  ///   - isPrivate: Whether only its owner may open the file, if it is created.
  /// - Throws: ``FolderError``.
  public func lock(_ name: String, isPrivate: Bool = false) throws(FolderError) -> FolderLock? {
    try refuseUnlessComponent(name, "lock")
    let mode = isPrivate ? privateFileMode : fileMode
    // SAFETY: openat reads the name during the call.
    let file = try retrying("lock", name) {
      unsafe openat(
        descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode)
    }
    let lock = FolderLock(descriptor: file)
    do throws(FolderError) {
      try retrying("lock", name) { flock(file, LOCK_EX | LOCK_NB) }
    } catch  where error.number == EWOULDBLOCK {
      return nil
    }
    return lock
  }
}

extension FolderHandle {
  /// Makes the names in this folder and in all folders below it durable.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  /// - Throws: ``FolderError``.
  public func syncFolders() throws(FolderError) {
    for name in try names() where try kind(of: name) == .folder {
      try folder(name).syncFolders()
    }
    try sync()
  }

  #if canImport(Darwin)
    /// Sets an extended attribute of the folder.
    ///
    /// - Throws: ``FolderError``: `unsupported` if the file system has no extended attributes.
    public func setAttribute(_ name: String, _ value: [UInt8]) throws(FolderError) {
      // SAFETY: fsetxattr reads the name and `bytes.count` bytes during the call.
      try retrying("mark", name) {
        unsafe value.withUnsafeBytes { bytes in
          unsafe fsetxattr(descriptor, name, bytes.baseAddress, bytes.count, 0, 0)
        }
      }
    }
  #endif
}
