import HTTPTypes
import Hummingbird

/// Refuses methods that HTTP does not have before they are counted: a series of metrics for each
/// word that somebody makes up would fill the memory.
struct KnownMethods: RouterMiddleware {
  let addresses: AddressTable

  private static let all: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
  ]

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard Self.all.contains(request.method) else {
      throw addresses.absence(request.method.rawValue, request.uri.path)
    }
    return try await next(request, context)
  }
}
