#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A file that is read and overwritten in place. It can forget data, which LMDB cannot, because
/// LMDB copies pages when it writes.
///
/// You can use it from any thread, because each operation names its own offset. Source: pread(2),
/// pwrite(2), fdatasync(2).
public final class FlatFile: Sendable {
  public let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // Data that must last has been synced; nothing can be done about a failure to close.
    _ = close(descriptor)
  }

  /// Opens the file at `path`; returns `nil` if there is none.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isWritable: Whether to open it for writing, too.
  /// - Throws: ``LMDBError`` with the operating system's error; `EINVAL` for a pipe, a socket or a
  ///   device.
  public static func open(_ path: String, isWritable: Bool) throws(LMDBError) -> FlatFile? {
    do throws(LMDBError) {
      // A pipe in place of the file would be waited for until somebody writes to it.
      let flags = (isWritable ? O_RDWR : O_RDONLY) | O_NONBLOCK
      let file = FlatFile(path: path, descriptor: try openFlatFile(path, flags, 0))
      try refuseSpecialFile(file.descriptor, path)
      return file
    } catch {
      // A file in place of a folder on the way means that there is none, either.
      if error.code == .system(ENOENT) || error.code == .system(ENOTDIR) { return nil }
      throw error
    }
  }

  /// Creates an empty file at `path`, which must not exist, and makes its name durable.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - folder: The folder that it is in.
  ///   - mode: Its permissions.
  /// - Throws: ``LMDBError`` with the operating system's error; `EEXIST` if the file exists.
  public static func create(
    _ path: String, in folder: String, mode: UInt32
  ) throws(LMDBError) -> FlatFile {
    let file = FlatFile(
      path: path, descriptor: try openFlatFile(path, O_RDWR | O_CREAT | O_EXCL, mode))
    try syncFolder(folder)
    return file
  }

  /// The length in bytes.
  public func size() throws(LMDBError) -> Int {
    var status = stat()
    // SAFETY: fstat fills the structure it is given.
    guard unsafe fstat(descriptor, &status) == 0 else { throw systemFailure("read", path) }
    return Int(status.st_size)
  }

  /// Whether the file still has its path, so that nobody has removed or replaced it.
  public func isAtItsPath() throws(LMDBError) -> Bool {
    var own = stat()
    // SAFETY: fstat fills the structure it is given.
    guard unsafe fstat(descriptor, &own) == 0 else { throw systemFailure("read", path) }
    return try identity(of: path)
      == FileIdentity(device: UInt64(own.st_dev), inode: UInt64(own.st_ino))
  }

  /// Returns the `count` bytes at `offset`, or fewer if the file ends earlier.
  ///
  /// - Complexity: Usually one system call.
  public func read(at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      // SAFETY: pread writes at most as many bytes as the array has from there on.
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done,
          off_t(offset + done))
      }
      if read == 0 { break }
      if read < 0 {
        guard errno == EINTR else { throw systemFailure("read", path) }
        continue
      }
      done += read
    }
    bytes.removeLast(count - done)
    return bytes
  }

  /// Writes the memory of `elements` at `offset`. It is durable after ``sync()``.
  public func write<Element: BitwiseCopyable>(
    _ elements: [Element], at offset: Int
  ) throws(LMDBError) {
    let count = elements.count * MemoryLayout<Element>.stride
    var done = 0
    while done < count {
      // SAFETY: pwrite reads at most as many bytes as the array has from there on.
      let written = unsafe elements.withUnsafeBytes { buffer in
        unsafe pwrite(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done,
          off_t(offset + done))
      }
      if written < 0 {
        guard errno == EINTR else { throw systemFailure("write", path) }
        continue
      }
      done += written
    }
  }

  /// Makes the written data durable.
  public func sync() throws(LMDBError) {
    #if canImport(Glibc)
      guard fdatasync(descriptor) == 0 else { throw systemFailure("sync", path) }
    #else
      guard fsync(descriptor) == 0 else { throw systemFailure("sync", path) }
    #endif
  }
}

private func openFlatFile(
  _ path: String, _ flags: Int32, _ mode: UInt32
) throws(LMDBError) -> Int32 {
  while true {
    // SAFETY: the path is a NUL-terminated copy during the call.
    let descriptor = unsafe open(path, flags | O_CLOEXEC, mode_t(mode))
    if descriptor >= 0 { return descriptor }
    guard errno == EINTR else { throw systemFailure("open", path) }
  }
}

/// Throws if an open file is neither a regular one nor a folder, which fails by itself.
func refuseSpecialFile(_ descriptor: Int32, _ path: String) throws(LMDBError) {
  var status = stat()
  // SAFETY: fstat fills the structure it is given.
  guard unsafe fstat(descriptor, &status) == 0 else { throw systemFailure("open", path) }
  guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
    throw LMDBError(
      .system(EINVAL), operation: "open",
      message: "\(path) is a pipe, a socket or a device, and no file: find out who put it there.")
  }
}
