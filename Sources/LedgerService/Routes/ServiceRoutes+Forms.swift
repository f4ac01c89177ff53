import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import Logging
import NIOCore
import ServiceAccess

/// The forms of the pages: signing in and out, and the acts.
extension ServiceRoutes {
  func addSignIn(to router: Router<ServiceContext>) {
    router.answer("/sign-in") { request, context in
      do throws(Problem) {
        try rates.take(address: context.address)
        let items = try PageVisit.items(request.uri.query, ["to"], EventLog.systemClock())
        if case .open = gate { return Self.elsewhere("/") }
        return response(.page(SignInPage(destination: items.texts("to").first).page), nil)
      } catch {
        return refusal(error, nil)
      }
    }
    router.post("/sign-in") { request, context in
      do throws(Problem) { return try await signIn(request, context) } catch {
        return refusal(error, nil)
      }
    }
    router.post("/sign-out") { request, context in
      do throws(Problem) { return try await signOut(request, context) } catch {
        return refusal(error, nil)
      }
    }
  }

  /// What somebody is answered who has not signed in.
  func signInFirst(_ request: Request) -> Response {
    guard request.method == .get || request.method == .head else {
      return refusal(
        Problem(.unauthenticated, "You are not signed in any more: sign in, and send it again."),
        nil)
    }
    let destination = request.head.path ?? "/"
    let isPlain = destination == "/" || !SignInPage.isOwn(destination)
    return Self.elsewhere(
      PageAddress("/sign-in", [("to", isPlain ? nil : destination)]).text)
  }

  /// The fields of a form.
  func fields(
    _ request: Request, _ context: ServiceContext, _ known: [String]
  ) async throws(Problem) -> QueryItems {
    try PageDoor.refuseOtherSites(request)
    let type = request.headers[.contentType]?.prefix { $0 != ";" }
    guard type?.lowercased() == "application/x-www-form-urlencoded" else {
      throw Problem(.unsupportedMediaType, "Expected a form: application/x-www-form-urlencoded.")
    }
    let text = try await strangersBudget.read(
      request, on: context.channel.eventLoop, upTo: Self.formBytesMax
    ) { (body) async throws(Problem) -> String in String(buffer: body)
    }
    return try PageVisit.items(text, known, EventLog.systemClock())
  }

  private func signIn(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    guard case .tokens(let keeper) = gate else { return Self.elsewhere("/") }
    try rates.take(address: context.address)
    let items = try await fields(request, context, ["token", "to"])
    let destination = items.texts("to").first
    let text = (items.texts("token").first ?? "").filter { !$0.isWhitespace }
    guard text.utf8.count <= SignInPage.tokenBytesMax,
      let (cookie, token) = try door.signIn(text, keeper, request)
    else {
      // As guesses over HTTP: an address is told so as often as that, and no more.
      try rates.takeFailure(address: context.address)
      audit.notice("sign-in refused", metadata: ["request": "\(context.id)"])
      let refused = "This token is not valid: it is unknown, was revoked or has expired."
      return response(.page(SignInPage(destination: destination, refused: refused).page), nil)
    }
    audit.notice(
      "signed in", metadata: ["request": "\(context.id)", "token": "\(token.name)"])
    var response = Self.elsewhere(destination.flatMap { SignInPage.isOwn($0) ? $0 : nil } ?? "/")
    response.headers[.setCookie] = cookie
    return response
  }

  private func signOut(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    try rates.take(address: context.address)
    let items = try await fields(request, context, [PageDoor.formField])
    // Who is not signed in any more has nothing to protect.
    if let visitor = try door.visitor(of: request, gate), visitor.isSignedIn {
      try PageDoor.check(items.texts(PageDoor.formField).first, visitor)
      audit.notice(
        "signed out", metadata: ["request": "\(context.id)", "token": "\(visitor.token.name)"])
    }
    var response = Self.elsewhere("/sign-in")
    response.headers[.setCookie] = door.signOut(request)
    return response
  }

  // MARK: - Acts

  func addActPages(to router: Router<ServiceContext>) {
    page(router, "/acts", .operate) { visit async throws(Problem) in
      let account = try visit.items(["account"]).text("account")
      return .page(ActPages.list(visit.visitor, account))
    }
    for kind in ActRequest.Kind.allCases {
      let path = "/acts/\(kind.rawValue)"
      page(router, path, .operate) { visit async throws(Problem) in
        let pages = ActPages(kind: kind, visitor: visit.visitor)
        return .page(pages.form(try visit.items(pages.parameters)))
      }
      router.post(RouterPath(path)) { request, context in
        await answer(request, context, .operate) { visit async throws(Problem) in
          try await act(kind, visit)
        }
      }
    }
  }

  /// Shows what an act would change; with the step `do`, does it.
  private func act(
    _ kind: ActRequest.Kind, _ visit: PageVisit
  ) async throws(Problem) -> PageAnswer {
    let pages = ActPages(kind: kind, visitor: visit.visitor)
    let items = try await fields(visit.request, visit.context, pages.parameters)
    try PageDoor.check(items.texts(PageDoor.formField).first, visit.visitor)
    let isDone = items.texts("step").first == "do"
    if isDone, items.texts("id").isEmpty {
      throw Problem(.badRequest, "The form has no id: begin again with its effect.")
    }
    let token = visit.token
    do throws(Problem) {
      let request = try ActRequest(
        kind, try pages.body(items), key: nil, token, now: visit.now)
      let about = Subject.customer(.account(request.act.accounts[0]))
      guard isDone else {
        let changes = try await work.ask { (view) throws(Problem) in
          try request.proposed(view, token)
        }
        note(about, 0, visit.context)
        return .page(pages.effect(request, changes, items))
      }
      let outcome = try await work.append { (ledger) throws(Problem) in
        try request.appended(ledger, token)
      }
      note(about, outcome.position, visit.context)
      let environment = items.texts("environment").first
      return .elsewhere(
        PageAddress.account(request.act.accounts[0]).adding("done", "\(outcome.position)")
          .adding("environment", environment == "production" ? nil : environment))
    } catch {
      return .page(pages.form(items, refused: error))
    }
  }
}
