#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One end of a pair of connected sockets. If the other end is closed, calls fail, but no signal is
/// raised.
final class MessageSocket {
  let descriptor: Int32
  /// Whether ``receive(_:into:)`` failed because it waited too long.
  private(set) var hasTimedOut = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Creates a pair of connected ends; nil if the system has no descriptors left.
  static func pair() -> (MessageSocket, MessageSocket)? {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    // SAFETY: socketpair fills in the two descriptors.
    let result = unsafe ends.withUnsafeMutableBufferPointer {
      unsafe socketpair(AF_UNIX, kind, 0, $0.baseAddress)
    }
    guard result == 0 else { return nil }
    return (MessageSocket(descriptor: ends[0]), MessageSocket(descriptor: ends[1]))
  }

  /// Sets how long ``receive(_:into:)`` waits for the next bytes.
  func wait(atMost seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    // SAFETY: setsockopt reads the time during the call.
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Sends all of the bytes. Returns false if the other end is closed.
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      // SAFETY: send reads at most the bytes that have not been sent yet.
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return retryingInterrupted {
          unsafe systemSend(descriptor, rest.baseAddress, rest.count)
        }
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Receives `count` bytes into the start of `buffer`. Returns false if the other end closes
  /// before.
  func receive(_ count: Int, into buffer: inout [UInt8]) -> Bool {
    precondition(count <= buffer.count, "a buffer holds what is received")
    var received = 0
    while received < count {
      // SAFETY: recv writes at most to the part of the buffer that has not been filled yet.
      let got = unsafe buffer.withUnsafeMutableBytes { bytes in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[received..<count])
        return retryingInterrupted { unsafe recv(descriptor, rest.baseAddress, rest.count, 0) }
      }
      if got < 0, errno == EAGAIN || errno == EWOULDBLOCK { hasTimedOut = true }
      guard got > 0 else { return false }
      received += got
    }
    return true
  }
}

/// The system's `send` without a signal, for use in types that have a method of that name.
private func systemSend(
  _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
) -> Int {
  #if canImport(Glibc)
    let flags = Int32(MSG_NOSIGNAL)
  #else
    let flags: Int32 = 0
  #endif
  // SAFETY: the caller passes `count` bytes.
  return unsafe send(descriptor, bytes, count, flags)
}
