import NIOCore

/// Closes a connection whose client does not take what is sent to it, or over which nothing goes.
///
/// An answer can have megabytes, and waits in memory until it is taken. And a client of HTTP/2 that
/// answers nothing keeps its connection after it was told to go.
final class StallTimer: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let interval: TimeAmount
  private let waitingBytes: (any Channel) throws -> Int
  private var looks: RepeatedTask?
  /// How many looks in a row have seen nothing go.
  private var silentLooks = 0
  private var hasMoved = false
  private var writtenBytes = 0
  /// How many bytes the client had taken at the last look, if others waited for it.
  private var takenBytes: Int?

  /// - Parameters:
  ///   - interval: The time between two looks.
  ///   - waitingBytes: Returns how many bytes wait to be taken.
  init(
    interval: TimeAmount = .seconds(ServiceLimits.stallSeconds),
    waitingBytes: @escaping (any Channel) throws -> Int = StallTimer.waitingBytes
  ) {
    self.interval = interval
    self.waitingBytes = waitingBytes
  }

  private static func waitingBytes(_ channel: any Channel) throws -> Int {
    try channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes) ?? 0
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let own = NIOLoopBound((timer: self, context: context), eventLoop: context.eventLoop)
    looks = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      try own.value.timer.look(own.value.context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { looks?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    looks?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasMoved = true
    context.fireChannelRead(data)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    hasMoved = true
    writtenBytes += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  private func look(_ context: ChannelHandlerContext) throws {
    silentLooks = hasMoved ? 0 : silentLooks + 1
    hasMoved = false
    var isStalled = false
    if context.channel.isWritable {
      takenBytes = nil
    } else {
      let taken = writtenBytes - (try waitingBytes(context.channel))
      isStalled = takenBytes.map { taken - $0 < ServiceLimits.stallBytesMin } ?? false
      takenBytes = taken
    }
    if isStalled || silentLooks >= ServiceLimits.silentLooksMax { context.close(promise: nil) }
  }
}
