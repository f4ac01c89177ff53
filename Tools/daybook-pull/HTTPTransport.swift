import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StorePull

/// Sends requests over HTTP with the system's trusted roots.
struct HTTPTransport: StoreTransport {
  /// How long connecting may take, in seconds.
  private static let connectSecondsMax: Int64 = 10

  fileprivate let client: HTTPClient

  /// Runs `body` with a client that is shut down afterwards.
  static func using<Answer>(
    _ body: (HTTPTransport) async throws -> Answer
  ) async throws -> Answer {
    var configuration = HTTPClient.Configuration()
    // A redirected request would take its bearer token along.
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(connectSecondsMax)
    // A pull tries again by itself, says so, and ends sometime.
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let answer: Answer
    do { answer = try await body(HTTPTransport(client: client)) } catch {
      try await client.shutdown()
      throw error
    }
    try await client.shutdown()
    return answer
  }

  func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
    var sent = HTTPClientRequest(url: request.url)
    sent.method = HTTPMethod(rawValue: request.method.rawValue)
    for (name, value) in request.headers { sent.headers.add(name: name, value: value) }
    if let body = request.body { sent.body = .bytes(ByteBuffer(bytes: body)) }
    do {
      let answer = try await client.execute(sent, timeout: .seconds(request.answerSecondsMax))
      let body = try await answer.body.collect(upTo: request.answerBytesMax)
      return TransportAnswer(
        status: Int(answer.status.code), retryAfter: answer.headers.first(name: "Retry-After"),
        body: Array(body.readableBytesView))
    } catch is NIOTooManyBytesError {
      throw TransportFailure("the answer has more than \(request.answerBytesMax) bytes")
    } catch {
      // Neither the request nor its token is a part of these errors.
      throw TransportFailure("the connection failed: \(error)")
    }
  }
}
