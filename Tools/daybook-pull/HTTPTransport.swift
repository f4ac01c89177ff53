import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import StorePull

/// Sends requests over HTTP with the system's trusted roots.
struct HTTPTransport: StoreTransport {
  /// How long connecting may take, in seconds.
  private static let connectSecondsMax: Int64 = 10

  fileprivate let client: HTTPClient
  /// How long a whole answer may take, with its body, in seconds.
  fileprivate let answerSeconds: Int64

  /// Runs `body` with a client that is shut down afterwards.
  static func using<Answer>(
    answerSeconds: Int64, _ body: (HTTPTransport) async throws -> Answer
  ) async throws -> Answer {
    var tls = TLSConfiguration.makeClientConfiguration()
    // Source: RFC 8996, by which TLS 1.0 and 1.1 must not be used.
    tls.minimumTLSVersion = .tlsv12
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    // A redirected request would take its bearer token along.
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(connectSecondsMax)
    configuration.timeout.read = .seconds(answerSeconds)
    // A pull tries again by itself, says so, and ends sometime.
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let answer: Answer
    do {
      answer = try await body(HTTPTransport(client: client, answerSeconds: answerSeconds))
    } catch {
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
    let seconds = min(answerSeconds, request.answerSecondsMax ?? .max)
    do {
      return try await inTime(sent, seconds, request.answerBytesMax)
    } catch let late as TransportFailure {
      throw late
    } catch let error as HTTPClientError
      where error == .deadlineExceeded || error == .readTimeout
    {
      // The client's own limits are as long, and any of them can be the first.
      throw Self.late(seconds)
    } catch is NIOTooManyBytesError {
      throw TransportFailure("the answer has more than \(request.answerBytesMax) bytes")
    } catch BoringSSLError.unknownError(let reasons) where reasons.isEmpty {
      // NIOSSL throws this where it finds no file or folder of roots.
      throw TransportFailure(
        "this system has no trusted roots: install ca-certificates, then pull again")
    } catch {
      // Neither the request nor its token is a part of these errors.
      throw TransportFailure("the connection failed: \(error)")
    }
  }

  /// The answer, unless it is not complete in time: the client's own limit ends with the head, and
  /// a body that comes slowly, or stops, would hold the pull and its lock for ever.
  private func inTime(
    _ sent: HTTPClientRequest, _ seconds: Int64, _ bytesMax: Int
  ) async throws -> TransportAnswer {
    try await withThrowingTaskGroup(of: TransportAnswer.self) { group in
      group.addTask { try await whole(sent, seconds, bytesMax) }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        throw Self.late(seconds)
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { preconditionFailure("there are two tasks") }
      return answer
    }
  }

  private static func late(_ seconds: Int64) -> TransportFailure {
    TransportFailure("the answer was not complete within \(seconds) seconds")
  }

  private func whole(
    _ request: HTTPClientRequest, _ seconds: Int64, _ bytesMax: Int
  ) async throws -> TransportAnswer {
    let answer = try await client.execute(request, timeout: .seconds(seconds))
    let body = try await answer.body.collect(upTo: bytesMax)
    return TransportAnswer(
      status: Int(answer.status.code), retryAfter: answer.headers.first(name: "Retry-After"),
      date: answer.headers.first(name: "Date"), body: Array(body.readableBytesView))
  }
}
