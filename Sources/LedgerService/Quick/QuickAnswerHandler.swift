import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Answers a request of HTTP/1.1 at once where ``QuickVerdicts`` can, and passes on all others.
///
/// Answers have to leave in the order of their requests. So a request is answered here only if no
/// other one of the connection is under way, and nothing was said that ends the connection or makes
/// something else of it. The handler stands behind Hummingbird's `HTTPConnectionStateHandler`,
/// which sees all requests and answers, and closes a connection that is idle or is to end.
final class QuickAnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let verdicts: QuickVerdicts
  /// The head of a request that may be answered here once it has ended.
  private var held: HTTPRequest?
  /// How many requests that were passed on have no whole answer yet.
  private var underWay = 0
  /// Whether everything is passed on from now on.
  private var isOver = false
  private var hasWritten = false

  init(_ verdicts: QuickVerdicts) { self.verdicts = verdicts }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      passHeld(context)
      if underWay == 0, !isOver, context.channel.isWritable, verdicts.takes(head) {
        held = head
      } else {
        pass(head, context)
      }
    case .end(nil):
      guard let head = held, let answer = verdicts.answer(head, on: context.channel) else {
        passHeld(context)
        context.fireChannelRead(data)
        return
      }
      held = nil
      write(answer, context)
    case .body, .end:
      passHeld(context)
      context.fireChannelRead(data)
    }
  }

  private func write(_ answer: PlainResponse, _ context: ChannelHandlerContext) {
    hasWritten = true
    context.write(wrapOutboundOut(.head(answer.response.head)), promise: nil)
    context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
  }

  private func passHeld(_ context: ChannelHandlerContext) {
    guard let head = held else { return }
    held = nil
    pass(head, context)
  }

  private func pass(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
    underWay += 1
    // The server ends a connection after the answer to such a request.
    if let said = head.headerFields[.connection], said != "keep-alive" { isOver = true }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    passHeld(context)
    if hasWritten {
      hasWritten = false
      context.flush()
    }
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { underWay -= 1 }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What follows is no request any more.
    isOver = true
    passHeld(context)
    context.fireErrorCaught(error)
  }
}

/// Puts a ``QuickAnswerHandler`` into the pipeline of a connection of HTTP/1.1 when its first
/// request comes: only then does the pipeline have the handler behind which it stands. A stream of
/// HTTP/2 has one request, for which that is not worth it.
final class QuickAnswerDoor: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private let verdicts: QuickVerdicts
  private var isOpen = false

  init(_ verdicts: QuickVerdicts) { self.verdicts = verdicts }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !isOpen {
      isOpen = true
      let pipeline = context.pipeline.syncOperations
      if context.channel.parent?.parent == nil {
        do {
          let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
          try pipeline.addHandler(QuickAnswerHandler(verdicts), position: .after(state))
        } catch {
          // Without it, all requests go the usual way.
          verdicts.noteAbsence(error)
        }
      }
    }
    context.fireChannelRead(data)
  }
}
