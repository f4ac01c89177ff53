import NIOCore
import Synchronization

/// How many streams of HTTP/2 there are, over all connections. Each takes about 30 KB until the
/// client ends it, also when its request was refused, and a connection can have a hundred.
final class StreamGate: Sendable {
  private let most: Int
  private let ofAddress: ConnectionGate
  private let count = Atomic(0)

  /// - Parameters:
  ///   - most: How many there are at the same time.
  ///   - ofAddress: How many an address has.
  init(most: Int = ServiceLimits.streamsMax, ofAddress: ConnectionGate) {
    self.most = most
    self.ofAddress = ofAddress
  }

  /// Counts a stream. Returns false if there are as many as there may be, and then it is not
  /// counted.
  func enter(_ address: SocketAddress?) -> Bool {
    guard count.add(1, ordering: .relaxed).newValue <= most else {
      count.subtract(1, ordering: .relaxed)
      return false
    }
    if ofAddress.enter(address) { return true }
    count.subtract(1, ordering: .relaxed)
    return false
  }

  func leave(_ address: SocketAddress?) {
    count.subtract(1, ordering: .relaxed)
    ofAddress.leave(address)
  }

  /// How many streams are counted.
  var streamCount: Int { count.load(ordering: .relaxed) }
}

/// Resets a stream of HTTP/2 that is too many. A connection of HTTP/1.1, which has the same
/// handlers, has been counted already.
final class StreamLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias InboundOut = NIOAny

  private let gate: StreamGate
  /// Returns whether a channel is a stream: then it is a part of a connection, which is a part of
  /// what listens.
  private let isStream: (any Channel) -> Bool
  private var isCounted = false
  private var isRefused = false

  init(
    _ gate: StreamGate, isStream: @escaping (any Channel) -> Bool = { $0.parent?.parent != nil }
  ) {
    self.gate = gate
    self.isStream = isStream
  }

  func handlerAdded(context: ChannelHandlerContext) {
    guard isStream(context.channel) else { return }
    isCounted = gate.enter(Self.address(context))
    isRefused = !isCounted
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if isCounted { gate.leave(Self.address(context)) }
    isCounted = false
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isRefused {
      context.close(promise: nil)
    } else {
      context.fireChannelRead(data)
    }
  }

  /// A stream has the address of its connection.
  private static func address(_ context: ChannelHandlerContext) -> SocketAddress? {
    context.channel.remoteAddress ?? context.channel.parent?.remoteAddress
  }
}
