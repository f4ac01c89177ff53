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
    try writeAll(bytes, to: STDOUT_FILENO, called: "standard output") {
      waitForRoom()
      return true
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
