#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The standard output of the process.
public enum StandardOutput {
  /// Writes all of the bytes, or throws.
  ///
  /// Waits for a slow reader, even if somebody who shares the output has made it non-blocking
  /// (`O_NONBLOCK`, as some terminals and build tools do).
  ///
  /// - Throws: ``FolderError``: `readerGone` if nobody reads the pipe any more, `full`.
  public static func write(_ bytes: borrowing Span<UInt8>) throws(FolderError) {
    try writeAll(bytes, to: STDOUT_FILENO, called: "standard output") {
      waitForRoom()
      return true
    }
  }

  /// Makes a write to a pipe without a reader fail with an error, so that the program learns what
  /// happened. Otherwise a signal would end it without a message.
  public static func reportGoneReaders() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// How many characters fit in a line of the terminal; nil where the output is none, or does not
  /// say.
  public static var columns: Int? {
    var size = winsize()
    // SAFETY: the call fills in a `winsize`, which is what it is given.
    let result = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Returns when there is room, or when the next write will meet an error.
  private static func waitForRoom() {
    var state = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    let withoutLimit: Int32 = -1
    // SAFETY: there is one entry, as said.
    _ = unsafe poll(&state, 1, withoutLimit)
  }
}
