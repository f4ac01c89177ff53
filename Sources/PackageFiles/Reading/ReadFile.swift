#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A file that is open for reading, with its state at the time of opening.
final class ReadFile {
  let descriptor: Int32
  let path: String
  let state: FileState

  /// Opens `name` in the folder `folder`. A link is followed only if `follows` is true.
  init(
    _ name: borrowing [UInt8], in folder: Int32 = AT_FDCWD, follows: Bool, path: String
  ) throws(PackageFileError) {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW)
    let descriptor = retryingInterrupted { () -> Int32 in
      // SAFETY: openat reads the NUL-terminated name during the call.
      unsafe withName(name) { unsafe openat(folder, $0, flags) }
    }
    guard descriptor >= 0 else { throw PackageFileError.system("open", path) }
    self.descriptor = descriptor
    self.path = path
    do throws(PackageFileError) {
      state = try FileState(descriptor: descriptor, path: path)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Takes over an open descriptor.
  init(descriptor: Int32, path: String) throws(PackageFileError) {
    self.descriptor = descriptor
    self.path = path
    state = try FileState(descriptor: descriptor, path: path)
  }

  deinit { close(descriptor) }

  /// Reads up to `count` further bytes into the start of `buffer`.
  func read(into buffer: inout [UInt8], count: Int) throws(PackageFileError) -> Int {
    let wanted = min(count, buffer.count)
    // SAFETY: read writes at most `wanted` bytes, which is not more than the buffer has.
    let got = unsafe buffer.withUnsafeMutableBytes { bytes in
      retryingInterrupted { unsafe systemRead(descriptor, bytes.baseAddress, wanted) }
    }
    guard got >= 0 else { throw PackageFileError.system("read", path) }
    return got
  }

  /// Returns up to `count` bytes at `offset`; fewer if the file ends earlier.
  func bytes(at offset: UInt64, count: Int) throws(PackageFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      // SAFETY: pread writes only to the bytes after those that are filled.
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        return retryingInterrupted {
          unsafe pread(
            descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        }
      }
      guard got >= 0 else { throw PackageFileError.system("read", path) }
      if got == 0 { break }
      filled += got
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// - Throws: `changed` if the file has changed, or another file is at its path.
  func checkStillAtItsPath() throws(PackageFileError) {
    try checkUnchanged()
    let again = try ReadFile(Array(path.utf8), follows: true, path: path)
    guard again.state == state else {
      throw PackageFileError(
        .changed, path: path,
        "was replaced while it was read: let nothing write to it, and try again.")
    }
  }

  /// - Throws: `changed` if the open file is not in the state in which it was opened.
  func checkUnchanged() throws(PackageFileError) {
    guard try FileState(descriptor: descriptor, path: path) == state else {
      throw PackageFileError(
        .changed, path: path,
        "changed while it was being read: stop writing to it, and try again.")
    }
  }
}

/// The system's `read`, for use in types that have a method of that name.
private func systemRead(
  _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  // SAFETY: the caller passes a buffer of `count` bytes.
  unsafe read(descriptor, buffer, count)
}

/// Repeats a system call while signals interrupt it.
func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// Passes a name to `body` as a NUL-terminated string.
func withName<Result>(
  _ name: borrowing [UInt8], _ body: (UnsafePointer<CChar>) -> Result
) -> Result {
  precondition(!name.contains(0), "a name must not contain a NUL")
  let ended = name + [0]
  // SAFETY: the bytes are NUL-terminated, and the pointer is used only in `body`.
  return unsafe ended.withUnsafeBufferPointer { bytes in
    unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
      guard let start = characters.baseAddress else { preconditionFailure("never empty") }
      return unsafe body(start)
    }
  }
}
