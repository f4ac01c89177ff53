import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore

/// Answers `GET /v1/verdict` where a connection is read, if one lookup of what is stored is enough.
///
/// The usual way of a request leads over two threads and through the middleware of the router,
/// which costs several times what the lookup does. This one does the same in one step: it asks the
/// same gate, parses and answers by the same code (``ServiceRoutes``), and leaves the same lines in
/// the log and the same counts in the metrics. Whatever is not as simple, and whatever is refused,
/// it leaves to the usual way before anything was counted, so that there is one place that words
/// refusals, waits, and asks for other people.
final class QuickVerdicts: Sendable {
  private let routes: ServiceRoutes
  private let logger: Logger
  private let serverName: String
  private let dates = ResponseDates()
  private let counter: Counter
  private let timer: Metrics.Timer

  /// - Parameters:
  ///   - routes: What answers.
  ///   - logger: The logger of the server, from which those of requests are made.
  ///   - serverName: What the header `Server` says.
  init(_ routes: ServiceRoutes, _ logger: Logger, serverName: String) {
    self.routes = routes
    self.logger = logger
    self.serverName = serverName
    // As Hummingbird's `MetricsMiddleware` names them.
    let dimensions = [
      ("http.route", ServiceRoutes.verdictPath), ("http.request.method", "GET"),
      ("http.response.status_code", "200"),
    ]
    counter = Counter(label: "hb.requests", dimensions: dimensions)
    timer = Metrics.Timer(
      label: "http.server.request.duration", dimensions: dimensions, preferredDisplayUnit: .seconds)
  }

  /// Whether a request can be one that is answered here: it asks for a verdict, has no body, and
  /// says nothing about the connection but that it stays.
  func takes(_ head: HTTPRequest) -> Bool {
    guard head.method == .get, let path = head.path, path.hasPrefix(Self.beginning) else {
      return false
    }
    return head.headerFields.allSatisfy { field in
      switch field.name {
      case .connection: field.value == "keep-alive"
      case .contentLength, .transferEncoding, .expect, .upgrade: false
      default: true
      }
    }
  }

  /// Notes that nothing is answered here on a connection.
  func noteAbsence(_ error: any Error) {
    logger.warning("no quick verdicts on this connection", metadata: ["reason": "\(error)"])
  }

  private static let beginning = ServiceRoutes.verdictPath + "?"

  /// The answer to a request that ``takes(_:)`` has let pass; nil if it is to go the usual way.
  ///
  /// - Complexity: One lookup; waits for nobody.
  func answer(_ head: HTTPRequest, on channel: any Channel) -> PlainResponse? {
    let begun = ContinuousClock.now
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    var logger = logger
    logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
    var context = RequestLog.traced(
      ServiceContext(source: ApplicationRequestContextSource(channel: channel, logger: logger)),
      request)
    context.coreContext.endpointPath.value = ServiceRoutes.verdictPath
    var plain: PlainResponse
    do throws(Problem) {
      guard let found = try routes.quickVerdict(request, &context) else { return nil }
      plain = found
    } catch {
      // The usual way finds the same, and says it.
      return nil
    }
    plain.response = RequestLog.finished(plain.response, to: request, context, begun)
    plain.response.headers[.date] = dates.now
    plain.response.headers[.server] = serverName
    counter.increment()
    timer.recordNanoseconds(Int64((ContinuousClock.now - begun) / .nanoseconds(1)))
    return plain
  }
}
