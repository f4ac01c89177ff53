internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The permissions of new files, before the process's umask is applied. Content is data and never
/// executable.
let fileMode: mode_t = 0o644

/// The permissions of files with personal data or secrets.
let privateFileMode: mode_t = 0o600

/// A file that is being written.
public struct FileWriter: ~Copyable, Sendable {
  /// The descriptor; negative if the file is closed.
  private var descriptor: Int32
  private let name: String

  fileprivate init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit {
    // The descriptor is still open only after a failure: ``finish()`` closes it otherwise.
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Appends bytes.
  ///
  /// - Throws: ``FolderError``: `full`.
  public func write(_ bytes: borrowing Span<UInt8>) throws(FolderError) {
    try writeAll(bytes, to: descriptor, called: name) { false }
  }

  /// Truncates the file to its first `bytes` bytes. The next write appends after them.
  ///
  /// - Throws: ``FolderError``.
  public func cut(to bytes: UInt64) throws(FolderError) {
    try retrying("cut", name) { ftruncate(descriptor, off_t(bytes)) }
    guard lseek(descriptor, off_t(bytes), SEEK_SET) >= 0 else {
      throw FolderError(errno, "cut", name)
    }
  }

  /// Asks the disk to start writing a part of the file, without waiting, so that a later sync takes
  /// less time. Does nothing if the system cannot do this.
  ///
  /// - Throws: ``FolderError``, also for earlier writes.
  public func beginSync(from start: UInt64, bytes: UInt64) throws(FolderError) {
    #if canImport(Glibc)
      do throws(FolderError) {
        try retrying("sync", name) {
          sync_file_range(
            descriptor, Int64(start), Int64(bytes), UInt32(DAYBOOK_SYNC_FILE_RANGE_WRITE))
        }
      } catch  where error.kind == .unsupported {
        return
      }
    #endif
  }

  /// Makes all earlier writes durable.
  ///
  /// - Throws: ``FolderError``, also for earlier writes.
  public func sync() throws(FolderError) {
    try retrying("sync", name) { fsync(descriptor) }
  }

  /// Closes the file.
  ///
  /// - Throws: ``FolderError``. A network file system reports a full disk here.
  public consuming func finish() throws(FolderError) {
    let open = descriptor
    descriptor = -1
    // Don't retry after a signal: the descriptor is closed whatever close(2) returns.
    guard close(open) == 0 || errno == EINTR else { throw FolderError(errno, "close", name) }
  }
}

/// Writes all of the bytes, or throws.
///
/// - Parameter waits: Called if nothing can be written at the moment. Returns whether to try again.
func writeAll(
  _ bytes: borrowing Span<UInt8>, to descriptor: Int32, called name: String, waits: () -> Bool
) throws(FolderError) {
  var done = 0
  while done < bytes.count {
    // SAFETY: the bytes are borrowed for the whole call, and `done` never exceeds their count.
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
    }
    if count >= 0 {
      done += count
      continue
    }
    let number = errno
    if number == EINTR { continue }
    if number == EAGAIN || number == EWOULDBLOCK, waits() { continue }
    throw FolderError(number, "write", name)
  }
}

extension FolderHandle {
  /// Creates a file and opens it for writing.
  ///
  /// - Parameters:
  ///   - name: A single name, without a folder.
  ///   - isPrivate: Whether only its owner may read it, from the first moment.
  /// - Throws: ``FolderError``: `exists`, also if a symbolic link has that name.
  public func makeFile(
    _ name: String, isPrivate: Bool = false
  ) throws(FolderError) -> FileWriter {
    try writer(name, O_CREAT | O_EXCL, "make", isPrivate ? privateFileMode : fileMode)
  }

  /// Opens an existing file for writing. Truncate it first.
  ///
  /// - Throws: ``FolderError``: `missing`, `notFolder` if a symbolic link has that name.
  public func fileThere(_ name: String) throws(FolderError) -> FileWriter {
    try writer(name, 0, "open")
  }

  private func writer(
    _ name: String, _ flags: Int32, _ operation: String, _ mode: mode_t = fileMode
  ) throws(FolderError) -> FileWriter {
    try refuseUnlessComponent(name, operation)
    // SAFETY: openat reads the name during the call.
    let file = try retrying(operation, name) {
      unsafe openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, mode)
    }
    return FileWriter(descriptor: file, name: name)
  }

  /// Returns the first bytes of a file; nil if nothing has that name.
  ///
  /// - Parameters:
  ///   - name: A single name, without a folder.
  ///   - bytesMax: The maximum number of bytes to read.
  /// - Complexity: O(*n*) in the number of bytes read.
  /// - Throws: ``FolderError``: `notFolder` if a symbolic link has that name.
  public func contents(of name: String, bytesMax: Int) throws(FolderError) -> [UInt8]? {
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
    defer { _ = close(file) }
    return try firstBytes(of: file, called: name, bytesMax: bytesMax)
  }
}

/// Reads from where the descriptor is, to the end of the file or to `bytesMax` bytes.
func firstBytes(
  of file: Int32, called name: String, bytesMax: Int
) throws(FolderError) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: bytesMax)
  var done = 0
  while done < bytesMax {
    let count = try retrying("read", name) {
      // SAFETY: read writes at most as many bytes as are left in the buffer.
      unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe Int32(read(file, buffer.baseAddress.map { unsafe $0 + done }, bytesMax - done))
      }
    }
    if count == 0 { break }
    done += Int(count)
  }
  return Array(buffer.prefix(done))
}
