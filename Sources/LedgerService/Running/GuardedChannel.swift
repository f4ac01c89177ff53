import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A connection that was let in, whose TLS handshake ends in time, and that is used.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
  typealias Value = Base.Value

  let base: Base
  let gate: ConnectionGate
  /// How long a handshake may take.
  var handshake = TimeAmount.seconds(ServiceLimits.handshakeSeconds)

  /// Why a connection is closed before anything is read of it.
  struct Refused: Error {}

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let address = channel.remoteAddress
    guard gate.enter(address) else {
      // An answer would cost a handshake first, which is what somebody with many connections wants.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(Refused())
    }
    channel.closeFuture.whenComplete { [gate] _ in gate.leave(address) }
    let value = base.setup(channel: channel, logger: logger)
    do {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(StallTimer(), position: .first)
      if let tls = HandshakeTimer.tls(in: pipeline) {
        try pipeline.addHandler(HandshakeTimer(handshake), position: .after(tls))
      }
    } catch {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(error)
    }
    return value
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Closes a connection that is not through its TLS handshake in time. Before that, no other timer
/// runs: a client that says nothing would keep its connection for ever.
final class HandshakeTimer: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias InboundOut = NIOAny

  private let time: TimeAmount
  private var timer: Scheduled<Void>?

  init(_ time: TimeAmount) { self.time = time }

  /// What speaks TLS in a pipeline; nil if nothing does.
  static func tls(
    in pipeline: ChannelPipeline.SynchronousOperations
  ) -> NIOSSLServerHandler? {
    do { return try pipeline.handler(type: NIOSSLServerHandler.self) } catch { return nil }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { timer?.cancel() }
    context.fireUserInboundEventTriggered(event)
  }
}
