import Hummingbird
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Closes the connection of a follower who does not read: what waits to be sent to it, its
/// connection and its place among the followers would be taken for ever.
final class FollowReader: Sendable {
  private let channel: any Channel
  private let stall: Duration
  /// How many writes have begun and have ended. The first two differ while one waits.
  private let begun = Atomic(0)
  private let ended = Atomic(0)

  /// - Parameters:
  ///   - channel: The connection.
  ///   - stall: How long a write may wait.
  init(_ channel: any Channel, stall: Duration) {
    self.channel = channel
    self.stall = stall
  }

  /// Sends a text, and waits as long as the follower has much to read before it.
  func send(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
    begun.add(1, ordering: .relaxed)
    defer { ended.add(1, ordering: .relaxed) }
    try await writer.write(ByteBuffer(string: text))
  }

  /// Closes the connection of a follower who has not read what it was sent some time after the
  /// service was told to stop, which waits for it.
  func closeAtEnd() async {
    do {
      try await gracefulShutdown()
      let loop = NIOSingletons.posixEventLoopGroup.any()
      try await Pause.wait(.seconds(ServiceLimits.followEndSeconds), on: loop)
    } catch { return }
    channel.close(promise: nil)
  }

  /// Looks until its task is cancelled whether one write waits for longer than it may; then it
  /// closes the connection, which ends the write.
  func watch() async {
    while true {
      let waiting = begun.load(ordering: .relaxed)
      let isWaiting = ended.load(ordering: .relaxed) < waiting
      do {
        try await Pause.wait(TimeAmount(stall), on: NIOSingletons.posixEventLoopGroup.any())
      } catch { return }
      if isWaiting, ended.load(ordering: .relaxed) < waiting {
        channel.close(promise: nil)
        return
      }
    }
  }
}
