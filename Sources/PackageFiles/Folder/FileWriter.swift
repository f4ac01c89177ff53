internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The rights of files that are made, before the process's own mask: content is data, and no file
/// of it can be run.
let fileMode: mode_t = 0o644

/// The rights of files that hold what is known of people, or secrets.
let privateFileMode: mode_t = 0o600

/// A file that is written.
public struct FileWriter: ~Copyable, Sendable {
  /// Negative when it is closed.
  private var descriptor: Int32
  private let name: String

  fileprivate init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit {
    // Open only where something failed before: ``finish()`` closes in the good case.
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Writes bytes behind what was written.
  ///
  /// - Throws: ``FolderError``: `full`.
  public func write(_ bytes: borrowing Span<UInt8>) throws(FolderError) {
    try writeAll(bytes, to: descriptor, called: name) { false }
  }

  /// Cuts the file to its first `bytes`, behind which the next write goes.
  ///
  /// - Throws: ``FolderError``.
  public func cut(to bytes: UInt64) throws(FolderError) {
    try retrying("cut", name) { ftruncate(descriptor, off_t(bytes)) }
    guard lseek(descriptor, off_t(bytes), SEEK_SET) >= 0 else {
      throw FolderError(errno, "cut", name)
    }
  }

  /// Has the disk begin with a part of what was written, and does not wait for it: whoever syncs
  /// later waits for less. Where the system cannot, nothing happens.
  ///
  /// - Throws: ``FolderError``, also of writes that came before.
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

  /// Makes what was written last.
  ///
  /// - Throws: ``FolderError``, also of writes that came before.
  public func sync() throws(FolderError) {
    try retrying("sync", name) { fsync(descriptor) }
  }

  /// Closes the file.
  ///
  /// - Throws: ``FolderError``: a network file system tells here that the disk is full.
  public consuming func finish() throws(FolderError) {
    let open = descriptor
    descriptor = -1
    // Not again after a signal: the descriptor is gone whatever close(2) says.
    guard close(open) == 0 || errno == EINTR else { throw FolderError(errno, "close", name) }
  }
}

/// Writes all of the bytes, or throws.
///
/// - Parameter waits: Called where there is no room at once; whether there may be some now.
func writeAll(
  _ bytes: borrowing Span<UInt8>, to descriptor: Int32, called name: String, waits: () -> Bool
) throws(FolderError) {
  var done = 0
  while done < bytes.count {
    // SAFETY: the bytes stay for the time of the call, and the rest of them is as long as said.
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
  /// Makes a file and opens it for writing.
  ///
  /// - Parameters:
  ///   - name: one name, without a folder.
  ///   - isPrivate: whether only its owner may read it, from the first moment on.
  /// - Throws: ``FolderError``: `exists`, also where a symbolic link has that name.
  public func makeFile(
    _ name: String, isPrivate: Bool = false
  ) throws(FolderError) -> FileWriter {
    try writer(name, O_CREAT | O_EXCL, "make", isPrivate ? privateFileMode : fileMode)
  }

  /// Opens a file that is there for writing, to be cut first.
  ///
  /// - Throws: ``FolderError``: `missing`, `notFolder` where a symbolic link has that name.
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

  /// The first bytes of a file; nil where nothing has that name.
  ///
  /// - Parameters:
  ///   - name: one name, without a folder.
  ///   - bytesMax: as many are read at most.
  /// - Complexity: O(*n*) in what is read.
  /// - Throws: ``FolderError``: `notFolder` where a symbolic link has that name.
  public func contents(of name: String, bytesMax: Int) throws(FolderError) -> [UInt8]? {
    try refuseUnlessComponent(name, "open")
    let file: Int32
    do throws(FolderError) {
      // SAFETY: openat reads the name during the call. A pipe would else wait for its writer.
      file = try retrying("open", name) {
        unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      }
    } catch  where error.kind == .missing {
      return nil
    }
    defer { _ = close(file) }
    var buffer = [UInt8](repeating: 0, count: bytesMax)
    var done = 0
    while done < bytesMax {
      let count = try retrying("read", name) {
        // SAFETY: read writes at most as many bytes as the rest of the buffer has.
        unsafe buffer.withUnsafeMutableBytes { buffer in
          unsafe Int32(read(file, buffer.baseAddress.map { unsafe $0 + done }, bytesMax - done))
        }
      }
      if count == 0 { break }
      done += Int(count)
    }
    return Array(buffer.prefix(done))
  }
}
