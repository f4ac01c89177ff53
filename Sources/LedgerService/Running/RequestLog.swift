import HTTPTypes
import Hummingbird
import LedgerEvents
import Logging

/// Logs each request by its route, and never by its query: a query names customers.
struct RequestLog: RouterMiddleware {
  let addresses: AddressTable
  let faults: FaultLog

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    let begun = ContinuousClock.now
    let context = Self.traced(context, request)
    let response: Response
    do {
      response = try await next(request, context)
    } catch let problem as Problem {
      faults.tell(problem, context.logger)
      response = problem.response
    } catch let error as any HTTPResponseError {
      response = problem(of: error.status, request).response
    } catch {
      context.logger.error("unexpected", metadata: ["reason": "\(error)"])
      var problem = Problem(.unavailable, "The service failed to answer. Its log says why.")
      problem.retryAfterSeconds = 1
      response = problem.response
    }
    return Self.finished(response, to: request, context, begun)
  }

  /// The context of a request, with that of the caller's trace, as W3C Trace Context names it.
  static func traced(_ context: ServiceContext, _ request: Request) -> ServiceContext {
    guard let trace = request.headers[.traceParent], trace.utf8.count <= traceBytesMax else {
      return context
    }
    var context = context
    context.logger[metadataKey: "traceparent"] = "\(trace)"
    return context
  }

  /// Logs a request that was answered, and returns the answer with what every one has.
  static func finished(
    _ response: Response, to request: Request, _ context: ServiceContext,
    _ begun: ContinuousClock.Instant
  ) -> Response {
    let elapsed = (ContinuousClock.now - begun) / .microseconds(1)
    context.logger.info(
      "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "-")",
        "status": "\(response.status.code)",
        "microseconds": "\(Int64(elapsed))",
      ])
    var answered = request.method == .head ? response.createHeadResponse() : response
    answered.headers[.requestID] = context.id
    answered.headers[.contentTypeOptions] = "nosniff"
    if let trace = request.headers[.traceParent] { answered.headers[.traceParent] = trace }
    return answered
  }

  /// The longest `traceparent` that is passed on, in bytes; one of version 00 has 55.
  private static let traceBytesMax = 128

  /// What the router throws, as a problem.
  private func problem(of status: HTTPResponse.Status, _ request: Request) -> Problem {
    switch status.code {
    case 404, 405: addresses.absence(request.method.rawValue, request.uri.path)
    case 413: Problem(.tooLarge, "The request is too large.")
    default: Problem(.badRequest, "The request is not understood.")
    }
  }
}
