import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Webhooks

/// Sends messages to the receivers of webhooks.
struct MessageSender: Sendable {
  let client: HTTPClient
  let userAgent: String
  /// How long an answer may take, in seconds.
  let seconds: Int64
  /// How long connecting may take, in seconds, as the client has it.
  var connectSeconds = ServiceLimits.webhookConnectSeconds

  /// A client for messages.
  ///
  /// - Parameters:
  ///   - connectSeconds: How long connecting may take, in seconds.
  ///   - connectionsMax: How many connections there are to one host.
  static func client(
    connectSeconds: Int64, connectionsMax: Int = ServiceLimits.webhookConnectionsMax
  ) -> HTTPClient {
    HTTPClient(
      eventLoopGroupProvider: .singleton,
      configuration: configuration(
        connectSeconds: connectSeconds, connectionsMax: connectionsMax))
  }

  /// How messages are sent. A redirect is not followed: the message was signed for another
  /// receiver.
  ///
  /// - Parameters:
  ///   - connectSeconds: How long connecting may take, in seconds.
  ///   - connectionsMax: How many connections there are to one host.
  static func configuration(
    connectSeconds: Int64, connectionsMax: Int = ServiceLimits.webhookConnectionsMax
  ) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    // Source: RFC 8996, by which TLS 1.0 and 1.1 must not be used.
    tls.minimumTLSVersion = .tlsv12
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(connectSeconds)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsMax
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    configuration.http1_1ConnectionDebugInitializer = StatusGuard.add
    return configuration
  }

  /// Sends a message, and says how that has ended. Never throws: a failure is a result.
  func send(_ attempt: Attempt) async -> AttemptResult {
    var request = HTTPClientRequest(url: attempt.url)
    request.method = .POST
    for (name, value) in attempt.headers { request.headers.add(name: name, value: value) }
    request.headers.add(name: "user-agent", value: userAgent)
    request.body = .bytes(ByteBuffer(string: attempt.body))
    do { return try await inTime(request, attempt) } catch {
      let failure = MessageFailure(error, seconds: seconds, connectSeconds: connectSeconds)
      if failure.isOwn { return AttemptResult(attempt, postponed: failure.text) }
      return AttemptResult(attempt, status: nil, problem: failure.text)
    }
  }

  /// The result, unless the answer is not complete in time: the client's own limit ends with the
  /// head, and a body that never ends would keep its connection and its customer for ever.
  private func inTime(
    _ request: HTTPClientRequest, _ attempt: Attempt
  ) async throws -> AttemptResult {
    try await withThrowingTaskGroup(of: AttemptResult.self) { group in
      group.addTask { try await whole(request, attempt) }
      group.addTask {
        try await Pause.wait(.seconds(seconds), on: client.eventLoopGroup.any())
        throw MessageFailure.late(seconds: seconds)
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { preconditionFailure("there are two tasks") }
      return result
    }
  }

  private func whole(
    _ request: HTTPClientRequest, _ attempt: Attempt
  ) async throws -> AttemptResult {
    let response = try await client.execute(request, timeout: .seconds(seconds))
    let status = Int(response.status.code)
    guard (200..<300).contains(status) else {
      // It has failed, whatever else it says. What is not read closes the connection.
      return AttemptResult(
        attempt, status: status, problem: "the receiver has answered \(status)",
        retryAfter: response.headers.first(name: "retry-after").flatMap { Int64($0) })
    }
    try await readToEnd(response.body)
    try Task.checkCancellation()
    return AttemptResult(attempt, status: status, problem: nil)
  }

  /// Reads what the receiver has written and keeps nothing of it: a receiver that breaks off may
  /// not have taken the message, and a connection can be used again after the end alone.
  private func readToEnd(_ body: HTTPClientResponse.Body) async throws {
    var count = 0
    for try await piece in body {
      count += piece.readableBytes
      guard count <= ServiceLimits.webhookAnswerBytesMax else { throw MessageFailure.tooLong }
    }
  }
}

/// Closes a connection whose answer has a status below 100, by which the client would end the
/// process.
///
/// Source: RFC 9110, section 15: a status code is a number from 100 to 599.
private final class StatusGuard: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private static let statusMin: UInt = 100

  /// Whether the connection was closed here: what is still decoded is not passed on. A connection
  /// that the receiver has closed is another case, for which an answer without a length ends so.
  private var hasClosed = false

  /// Puts one behind the decoder of a connection.
  @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(StatusGuard(), position: .after(decoder))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasClosed else { return }
    if case .head(let head) = unwrapInboundIn(data), head.status.code < Self.statusMin {
      hasClosed = true
      context.fireErrorCaught(MessageFailure.withoutStatus)
      context.close(promise: nil)
      return
    }
    context.fireChannelRead(data)
  }
}
