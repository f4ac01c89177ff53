import NIOCore
import NIOHTTP1
import NIOPosix

@testable import StorePull

/// The fake store behind HTTP, on a port of this machine that the system chooses.
final class FakeServer: Sendable {
  private let channel: any Channel

  init(_ store: FakeStore, _ environment: StoreHost.Environment) throws {
    channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(store, environment))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  func stop() throws { try channel.close().wait() }

  /// Collects a request and answers it.
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let store: FakeStore
    private let environment: StoreHost.Environment
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ store: FakeStore, _ environment: StoreHost.Environment) {
      (self.store, self.environment) = (store, environment)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): (self.head, body) = (head, [])
      case .body(let buffer): body += buffer.readableBytesView
      case .end:
        guard let head else { return }
        let request = FakeStore.request(
          head.method.rawValue, head.uri,
          authorization: head.headers.first(name: "Authorization") ?? "",
          body: String(decoding: body, as: UTF8.self))
        send(store.answer(request, in: environment), context)
      }
    }

    private func send(_ answer: FakeStore.Answer, _ context: ChannelHandlerContext) {
      let (status, retryAfter, text, isPart) =
        switch answer {
        case .whole(let status, let retryAfter, let body): (status, retryAfter, body, false)
        case .redirect: (307, nil, "", false)
        case .cut(let part), .stalled(let part), .dripping(let part): (200, nil, part, true)
        }
      var headers = HTTPHeaders()
      headers.add(name: "Content-Type", value: "application/json")
      // The rest of an answer that is cut off never comes.
      headers.add(name: "Content-Length", value: "\(text.utf8.count + (isPart ? 1_000 : 0))")
      if case .redirect(let location) = answer { headers.add(name: "Location", value: location) }
      if let retryAfter { headers.add(name: "Retry-After", value: retryAfter) }
      let head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
      switch answer {
      case .whole, .redirect: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      case .cut:
        context.flush()
        context.close(promise: nil)
      case .stalled: context.flush()
      case .dripping:
        context.flush()
        let channel = context.channel
        channel.eventLoop.scheduleRepeatedTask(
          initialDelay: Self.dripInterval, delay: Self.dripInterval
        ) { task in
          guard channel.isActive else { return task.cancel() }
          let drop = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: " ")))
          channel.writeAndFlush(drop, promise: nil)
        }
      }
    }

    /// Far below the client's limit, so that something always comes.
    private static let dripInterval = TimeAmount.milliseconds(20)
  }
}
