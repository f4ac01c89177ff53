#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Waiting for input.
public enum InputReadiness {
  /// Waits until a read from a pipe, socket or terminal will not block: until bytes have come, the
  /// other side has closed it, or it has failed. A signal may end the wait earlier.
  ///
  /// - Parameters:
  ///   - descriptor: An open file descriptor.
  ///   - milliseconds: How long to wait at most; `nil` without limit.
  /// - Returns: Whether a read will not block. Without a limit, it may be that a signal came.
  @discardableResult
  public static func wait(for descriptor: Int32, milliseconds: Int32? = nil) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let withoutLimit: Int32 = -1
    // SAFETY: the count of 1 matches the single entry.
    return unsafe poll(&state, 1, milliseconds ?? withoutLimit) > 0
  }
}
