import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerStore
import ServiceAccess

extension HTTPField.Name {
  static let contentSecurityPolicyName = named("Content-Security-Policy")
  static let referrerPolicy = named("Referrer-Policy")
  static let fetchSite = named("Sec-Fetch-Site")
  static let forwardedProto = named("X-Forwarded-Proto")

  private static func named(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else {
      preconditionFailure("\(text) is no name of a header")
    }
    return name
  }
}

/// Who may see the pages: the sessions of those who have signed in, and what protects them from
/// other sites.
final class PageDoor: Sendable {
  /// The name of the field in which forms state what only their session knows.
  static let formField = "form"
  /// Everything that a page needs comes from the service itself, and nobody can frame it.
  static let policy = [
    "default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'",
    "img-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private let isTLS: Bool
  let sessions = SessionKeeper()
  /// What forms state if nobody signs in.
  private let openFormToken = SessionKeeper.newFormToken()

  /// - Parameter isTLS: Whether the service itself speaks TLS.
  init(isTLS: Bool = false) { self.isTLS = isTLS }

  func headers(policy: String) -> HTTPFields {
    [
      .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
      .contentSecurityPolicyName: policy, .referrerPolicy: "no-referrer",
    ]
  }

  // MARK: - Visitors

  /// Who sends a request; nil if nobody has signed in.
  ///
  /// - Throws: ``Problem``: `unavailable` if the tokens cannot be read; `forbidden` if a service
  ///   without tokens is reached by a foreign name.
  func visitor(of request: Request, _ gate: AccessGate) throws(Problem) -> PageVisitor? {
    switch gate {
    case .open:
      try Self.refuseForeignNames(request)
      return PageVisitor(
        token: AccessGate.anybody, formToken: openFormToken, isSignedIn: false)
    case .tokens(let keeper):
      guard let secret = secret(in: request) else { return nil }
      do throws(TokenError) {
        guard
          let (session, token) = try sessions.session(
            secret, keeper, at: EventLog.systemClock())
        else { return nil }
        return PageVisitor(token: token, formToken: session.formToken, isSignedIn: true)
      } catch {
        throw Self.unreadable(error)
      }
    }
  }

  /// Whether a request still is of a session of a token.
  func admits(_ request: Request, as token: AccessToken, _ gate: AccessGate) -> Bool {
    do throws(Problem) { return try visitor(of: request, gate)?.token == token } catch {
      return false
    }
  }

  /// Recognizes a token and begins a session.
  ///
  /// - Returns: The value of `Set-Cookie`; nil if no valid token has the text.
  /// - Throws: ``Problem``: `unavailable`.
  func signIn(
    _ text: String, _ keeper: TokenKeeper, _ request: Request
  ) throws(Problem) -> (cookie: String, token: AccessToken)? {
    let now = EventLog.systemClock()
    do throws(TokenError) {
      guard let token = try keeper.token(presented: text, at: now), let mark = TokenMark(text)
      else { return nil }
      let seconds = SessionKeeper.lifetime / Instant.second
      return (cookie(sessions.begin(mark, at: now), seconds, request), token)
    } catch {
      throw Self.unreadable(error)
    }
  }

  /// Ends the session of a request. Returns the value of `Set-Cookie`.
  func signOut(_ request: Request) -> String {
    if let secret = secret(in: request) { sessions.end(secret) }
    return cookie("", 0, request)
  }

  private static func unreadable(_ error: TokenError) -> Problem {
    Problem(fault: "The tokens cannot be read: \(error.message)", retryAfterSeconds: 30)
  }

  // MARK: - Cookies

  /// Whether the browser came by TLS, here or at what stands in front of the service. Who lies
  /// about that harms nobody else.
  private func isSecure(_ request: Request) -> Bool {
    isTLS || request.headers[.forwardedProto]?.lowercased() == "https"
  }

  /// A cookie with the prefix belongs to this host alone, and was set over TLS.
  ///
  /// Source: *Cookies: HTTP State Management Mechanism* (RFC 6265bis), section 4.1.3.2.
  private func cookieName(_ request: Request) -> String {
    isSecure(request) ? "__Host-daybook" : "daybook-session"
  }

  private func cookie(_ secret: String, _ seconds: Int64, _ request: Request) -> String {
    "\(cookieName(request))=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
      + (isSecure(request) ? "; Secure" : "")
  }

  private func secret(in request: Request) -> String? {
    let name = cookieName(request)
    let pairs = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
      return String(parts[1])
    }
    return nil
  }

  // MARK: - Other sites

  /// Refuses a form that another site sends.
  ///
  /// Browsers say in `Sec-Fetch-Site` where a request comes from. Those that do not say it in
  /// `Origin`, which is `null` for pages without a referrer, as these are; then what the form
  /// itself states has to do.
  ///
  /// - Throws: ``Problem``: `forbidden`.
  static func refuseOtherSites(_ request: Request) throws(Problem) {
    if let site = request.headers[.fetchSite] {
      guard site == "same-origin" else { throw otherSite }
      return
    }
    guard let origin = request.headers[.origin], origin != "null" else { return }
    let host = origin.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true).last
    guard let host, let authority = request.head.authority,
      host.drop(while: { $0 == "/" }).lowercased() == authority.lowercased()
    else { throw otherSite }
  }

  private static let otherSite = Problem(
    .forbidden, "This was sent by another site. Open the page here, and send it again.")

  /// Refuses what does not come to an address of this machine: a site whose name leads here could
  /// read the answers as if they were its own.
  ///
  /// - Throws: ``Problem``: `forbidden`.
  private static func refuseForeignNames(_ request: Request) throws(Problem) {
    guard isLoopback(request.head.authority ?? "") else {
      throw Problem(
        .forbidden,
        "This service is open, so it is there for this machine alone: use an address such as "
          + "http://127.0.0.1.")
    }
  }

  /// Refuses what a page of another site sends to a service without tokens, by whatever name.
  /// Programs send neither of the two headers, and an address that somebody typed says `none`.
  ///
  /// - Throws: ``Problem``: `forbidden`.
  static func refuseForeigners(_ request: Request) throws(Problem) {
    try refuseForeignNames(request)
    if request.headers[.fetchSite] != "none" { try refuseOtherSites(request) }
    if request.headers[.fetchSite] == nil, request.headers[.origin] == "null" { throw otherSite }
  }

  /// Refuses a form that does not state what those of the visitor's session state.
  ///
  /// - Throws: ``Problem``: `forbidden`.
  static func check(_ stated: String?, _ visitor: PageVisitor) throws(Problem) {
    guard let stated, SessionKeeper.areEqual(stated, visitor.formToken) else {
      throw Problem(
        .forbidden,
        "The form is of another session: you may have signed in again since it was opened. Go "
          + "back, load the page again, and send it once more.")
    }
  }

  private static func isLoopback(_ authority: String) -> Bool {
    let host =
      authority.hasPrefix("[")
      ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

/// Somebody who may see pages.
struct PageVisitor: Sendable {
  let token: AccessToken
  /// What the forms of the visitor state.
  let formToken: String
  /// Whether there is a session that can be ended.
  let isSignedIn: Bool

  /// Who it is, for people.
  var title: String {
    token.operatorName.map { "\($0) (token \(token.name))" } ?? "Token \(token.name)"
  }

  /// Whether the token is for one account or for some apps alone.
  var isRestricted: Bool { token.account != nil || !token.apps.isEmpty }

  /// Whether a place of the navigation has anything for the visitor.
  func mayGo(_ place: Page.Place) -> Bool {
    switch place {
    case .search: token.allows(.read)
    case .findings, .compare: token.allows(.read) && !isRestricted
    case .live: token.allows(.read)
    case .acts: token.allows(.operate)
    case .deliveries: token.allows(.admin) && !isRestricted
    case .status: token.allows(.read)
    }
  }
}
