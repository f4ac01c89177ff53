#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The standard output of the process.
public enum StandardOutput {
  /// Writes all of the bytes, or throws.
  ///
  /// Where somebody who shares it has made it answer at once (`O_NONBLOCK`, as some terminals and
  /// build tools do), a slow reader is waited for all the same.
  ///
  /// - Throws: ``FolderError``: `readerGone` where nobody reads the pipe any more, `full`.
  public static func write(_ bytes: borrowing Span<UInt8>) throws(FolderError) {
    var done = 0
    while done < bytes.count {
      // SAFETY: the bytes stay for the time of the call, and the rest of them is as long as said.
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe writeOnce(
          STDOUT_FILENO, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      if count >= 0 {
        done += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: waitForRoom()
      case let number: throw FolderError(number, "write", "standard output")
      }
    }
  }

  /// Has a pipe whose reader is gone answer with an error, which tells the program what happened;
  /// the signal that comes else would end it with nothing said.
  public static func reportGoneReaders() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Returns when there is room, and when there is an error to be met by the next write.
  private static func waitForRoom() {
    var state = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    let withoutLimit: Int32 = -1
    // SAFETY: there is one entry, as said.
    _ = unsafe poll(&state, 1, withoutLimit)
  }
}
