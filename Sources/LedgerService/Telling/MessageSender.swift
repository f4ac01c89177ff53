import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Webhooks

/// Sends messages to the receivers of webhooks.
struct MessageSender: Sendable {
  let client: HTTPClient
  let userAgent: String

  /// A client for messages. A redirect is not followed: the message was signed for another
  /// receiver.
  static func client() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(ServiceLimits.webhookConnectSeconds)
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Sends a message, and says how that has ended. Never throws: a failure is a result.
  func send(_ attempt: Attempt) async -> AttemptResult {
    var request = HTTPClientRequest(url: attempt.url)
    request.method = .POST
    for (name, value) in attempt.headers { request.headers.add(name: name, value: value) }
    request.headers.add(name: "user-agent", value: userAgent)
    request.body = .bytes(ByteBuffer(string: attempt.body))
    do {
      let response = try await client.execute(
        request, timeout: .seconds(ServiceLimits.webhookSeconds))
      let status = Int(response.status.code)
      await discard(response.body)
      guard !(200..<300).contains(status) else {
        return AttemptResult(attempt, status: status, problem: nil)
      }
      return AttemptResult(
        attempt, status: status, problem: "the receiver has answered \(status)",
        retryAfter: response.headers.first(name: "retry-after").flatMap { Int64($0) })
    } catch {
      return AttemptResult(attempt, status: nil, problem: Self.words(error))
    }
  }

  /// Reads what the receiver has written, if it is short, so that its connection can be used again.
  private func discard(_ body: HTTPClientResponse.Body) async {
    do { _ = try await body.collect(upTo: ServiceLimits.webhookAnswerBytesMax) } catch {
      // The status has come, and decides. The connection is closed.
      return
    }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as HTTPClientError
    where error == .deadlineExceeded || error == .readTimeout || error == .connectTimeout:
      return "no answer within \(ServiceLimits.webhookSeconds) seconds"
    case is CancellationError: return "the service was stopped"
    case let error as HTTPClientError where error == .cancelled: return "the service was stopped"
    default: return "the connection failed: \(error)"
    }
  }
}
