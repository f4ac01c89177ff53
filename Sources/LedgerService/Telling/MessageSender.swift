import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Webhooks

/// Sends messages to the receivers of webhooks.
struct MessageSender: Sendable {
  let client: HTTPClient
  let userAgent: String
  /// How long an answer may take, in seconds.
  let seconds: Int64

  /// A client for messages. A redirect is not followed: the message was signed for another
  /// receiver.
  ///
  /// - Parameter connectSeconds: How long connecting may take, in seconds.
  static func client(connectSeconds: Int64) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(connectSeconds)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      ServiceLimits.webhookConnectionsMax
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    configuration.http1_1ConnectionDebugInitializer = StatusGuard.add
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Sends a message, and says how that has ended. Never throws: a failure is a result.
  func send(_ attempt: Attempt) async -> AttemptResult {
    var request = HTTPClientRequest(url: attempt.url)
    request.method = .POST
    for (name, value) in attempt.headers { request.headers.add(name: name, value: value) }
    request.headers.add(name: "user-agent", value: userAgent)
    request.body = .bytes(ByteBuffer(string: attempt.body))
    do { return try await inTime(request, attempt) } catch {
      return AttemptResult(attempt, status: nil, problem: words(error))
    }
  }

  private struct Late: Error {}

  /// The result, unless the answer is not complete in time: the client's own limit ends with the
  /// head, and a body that never ends would keep its connection and its customer for ever.
  private func inTime(
    _ request: HTTPClientRequest, _ attempt: Attempt
  ) async throws -> AttemptResult {
    try await withThrowingTaskGroup(of: AttemptResult.self) { group in
      group.addTask { try await whole(request, attempt) }
      group.addTask {
        try await Pause.wait(.seconds(seconds), on: client.eventLoopGroup.any())
        throw Late()
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { preconditionFailure("there are two tasks") }
      return result
    }
  }

  private func whole(
    _ request: HTTPClientRequest, _ attempt: Attempt
  ) async throws -> AttemptResult {
    let response = try await client.execute(
      request, timeout: .seconds(seconds))
    let status = Int(response.status.code)
    await discard(response.body)
    try Task.checkCancellation()
    guard !(200..<300).contains(status) else {
      return AttemptResult(attempt, status: status, problem: nil)
    }
    return AttemptResult(
      attempt, status: status, problem: "the receiver has answered \(status)",
      retryAfter: response.headers.first(name: "retry-after").flatMap { Int64($0) })
  }

  /// Reads what the receiver has written, if it is short, so that its connection can be used again.
  private func discard(_ body: HTTPClientResponse.Body) async {
    do { _ = try await body.collect(upTo: ServiceLimits.webhookAnswerBytesMax) } catch {
      // The status has come, and decides. The connection is closed.
      return
    }
  }

  private func words(_ error: any Error) -> String {
    switch error {
    case is Late: return "no answer within \(seconds) seconds"
    case let error as HTTPClientError
    where error == .deadlineExceeded || error == .readTimeout || error == .connectTimeout:
      return "no answer within \(seconds) seconds"
    case is CancellationError: return "the service was stopped"
    case let error as HTTPClientError where error == .cancelled: return "the service was stopped"
    default: return "the connection failed: \(error)"
    }
  }
}

/// Closes a connection whose answer has a status below 100, by which the client would end the
/// process.
///
/// Source: RFC 9110, section 15: a status code is a number from 100 to 599.
private final class StatusGuard: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private static let statusMin: UInt = 100

  private struct NoStatus: Error, CustomStringConvertible {
    var description: String { "the answer has no status" }
  }

  /// Puts one behind the decoder of a connection.
  @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(StatusGuard(), position: .after(decoder))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data), head.status.code < Self.statusMin {
      context.fireErrorCaught(NoStatus())
      context.close(promise: nil)
      return
    }
    guard context.channel.isActive else { return }
    context.fireChannelRead(data)
  }
}
