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
  /// - Parameter descriptor: An open file descriptor.
  public static func wait(for descriptor: Int32) {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let withoutLimit: Int32 = -1
    // SAFETY: the count of 1 matches the single entry.
    _ = unsafe poll(&state, 1, withoutLimit)
  }
}
