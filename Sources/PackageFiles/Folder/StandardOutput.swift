#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The standard output of the process.
public enum StandardOutput {
  /// Writes all of the bytes, or throws.
  ///
  /// Waits for a slow reader, even if another process that shares the output has made it
  /// non-blocking (`O_NONBLOCK`, as some terminals and build tools do).
  ///
  /// - Throws: ``FolderError``: `readerGone` if the pipe no longer has a reader, `full`.
  public static func write(_ bytes: borrowing Span<UInt8>) throws(FolderError) {
    try writeAll(bytes, to: STDOUT_FILENO, called: "standard output") {
      waitForRoom()
      return true
    }
  }

  /// Makes a write to a pipe without a reader fail with an error that the program can handle.
  /// Otherwise a signal would end the program without a message.
  public static func reportGoneReaders() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// The number of characters that fit in a line of the terminal; nil if the output is not a
  /// terminal or its width is unknown.
  public static var columns: Int? {
    var size = winsize()
    // SAFETY: the call fills in the `winsize` that is passed to it.
    let result = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Waits until output can be written or the next write will fail.
  private static func waitForRoom() {
    var state = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    let withoutLimit: Int32 = -1
    // SAFETY: the count of 1 matches the single entry.
    _ = unsafe poll(&state, 1, withoutLimit)
  }
}
