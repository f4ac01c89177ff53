import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerStore
import Logging
import NIOCore
import ServiceAccess

/// Lets nobody pass whose token does not allow what is asked for.
struct AccessMiddleware: RouterMiddleware {
  let gate: AccessGate
  let rates: RateGate
  let scope: TokenScope

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let token = try token(of: request, from: context.address)
    context.token = token
    context.logger[metadataKey: "token"] = "\(token.name)"
    guard token.allows(scope) else {
      throw Problem(
        .forbidden, "The token \(token.name) has no scope “\(scope.rawValue)”, which this needs.")
    }
    return try await next(request, context)
  }

  /// The token of a request, which has not sent more than it may.
  private func token(
    of request: Request, from address: SocketAddress?
  ) throws(Problem) -> AccessToken {
    let token: AccessToken
    do throws(Problem) { token = try gate.token(of: request) } catch {
      // Without a token nobody guesses, and a browser asks so first.
      if error.kind == .unauthenticated, request.headers[.authorization] != nil {
        try rates.takeFailure(address: address)
      }
      throw error
    }
    if case .tokens = gate {
      try rates.take(token: token.name)
    } else {
      try rates.take(address: address)
    }
    return token
  }
}

/// Counts requests to addresses that need no token.
struct AddressLimit: RouterMiddleware {
  let rates: RateGate

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    try rates.take(address: context.address)
    return try await next(request, context)
  }
}

/// Who may come in.
enum AccessGate: Sendable {
  /// Who presents a token of the ledger.
  case tokens(TokenKeeper)
  /// Everybody: only for a service that nobody but this machine can reach.
  case open

  /// Whether a request still has a token that it had before.
  func admits(_ request: Request, as token: AccessToken) -> Bool {
    do throws(Problem) { return try self.token(of: request) == token } catch { return false }
  }

  /// Who everybody is if there are no tokens.
  static let anybody = AccessToken(
    name: "open", scopes: [.admin], operatorName: "open", createdAt: Instant(microseconds: 0))

  /// Whose token a request has.
  ///
  /// - Throws: ``Problem``: `unauthenticated`, `unavailable` if the tokens cannot be read;
  ///   `forbidden` for what another site sends to a service without tokens.
  func token(of request: Request) throws(Problem) -> AccessToken {
    guard case .tokens(let keeper) = self else {
      try PageDoor.refuseForeigners(request)
      return Self.anybody
    }
    let fields = request.headers[values: .authorization]
    guard fields.count <= 1 else {
      throw Problem(.unauthenticated, "The header Authorization is there more than once.")
    }
    guard let field = fields.first else {
      throw Problem(
        .unauthenticated,
        "Send a token as “Authorization: Bearer …”. `daybook token create` makes one.")
    }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw Problem(.unauthenticated, "Authorization: expected “Bearer” and a token.")
    }
    do throws(TokenError) {
      let found = try keeper.token(presented: String(parts[1]), at: EventLog.systemClock())
      if let found { return found }
    } catch {
      throw Problem(
        fault: "The tokens cannot be read: \(error.message)", retryAfterSeconds: 30)
    }
    throw Problem(
      .unauthenticated, "This token is not valid: it is unknown, was revoked or has expired.")
  }
}
