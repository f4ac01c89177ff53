import HTTPTypes
import Hummingbird
import LedgerAnswers

/// Refuses a `Content-Length` that is no number of bytes, before anything is reserved for the body:
/// the HTTP parser lets numbers pass that need more than 63 bits.
///
/// Source: RFC 9110, section 8.6: digits, and nothing else.
struct StatedLength: RouterMiddleware {
  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    _ = try Self.of(request)
    return try await next(request, context)
  }

  /// The size of the body that a request states; nil if it states none.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  static func of(_ request: Request) throws(Problem) -> Int? {
    guard let text = request.headers[.contentLength] else { return nil }
    guard let count = UInt64(digits: text).flatMap(Int.init(exactly:)) else {
      throw Problem(.badRequest, "Content-Length: expected the number of bytes of the body.")
    }
    return count
  }
}
