#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One end of a pair of connected sockets. Nothing is lost in it, and an end that was closed is an
/// error and no signal.
final class MessageSocket {
  let descriptor: Int32
  /// Whether ``receive(_:into:)`` failed because nothing came.
  private(set) var hasTimedOut = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Two ends; nil if the system has none left.
  static func pair() -> (MessageSocket, MessageSocket)? {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    // SAFETY: socketpair fills the two descriptors.
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

  /// Sends all of the bytes; false if nobody receives them.
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      // SAFETY: send reads at most the bytes behind those that were sent.
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

  /// Receives `count` bytes into the start of `buffer`; false if the other end closes before.
  func receive(_ count: Int, into buffer: inout [UInt8]) -> Bool {
    precondition(count <= buffer.count, "a buffer holds what is received")
    var received = 0
    while received < count {
      // SAFETY: recv writes at most the bytes behind those that were received.
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

/// The system's `send` without a signal, for use where a method has the same name.
private func systemSend(
  _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
) -> Int {
  #if canImport(Glibc)
    let flags = Int32(MSG_NOSIGNAL)
  #else
    let flags: Int32 = 0
  #endif
  // SAFETY: the caller gives `count` bytes.
  return unsafe send(descriptor, bytes, count, flags)
}
