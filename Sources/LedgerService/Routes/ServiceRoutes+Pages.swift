import Audit
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import Logging
import NIOCore
import ServiceAccess

extension ServiceRoutes {
  /// What a page's address does.
  typealias PageBody = @Sendable (PageVisit) async throws(Problem) -> PageAnswer

  /// The largest form, in bytes: its longest texts are a reason and a note.
  static let formBytesMax = 64 << 10

  /// The pages for people. They answer from the same values as the questions of the same names, and
  /// a token sees here what it sees there.
  func addPages(to router: Router<ServiceContext>) {
    let unguarded = router.group().add(middleware: AddressLimit(rates: rates))
    for file in PageFile.all {
      unguarded.answer(RouterPath(file.path)) { _, _ in file.response }
    }
    addSignIn(to: router)
    page(router, "/") { visit in .page(SearchPage.start(visit.visitor)) }
    page(router, "/search") { visit async throws(Problem) in try await search(visit) }
    page(router, "/customer") { visit async throws(Problem) in try await customer(visit) }
    page(router, "/why") { visit async throws(Problem) in try await why(visit) }
    page(router, "/events/:position") { visit async throws(Problem) in try await event(visit) }
    page(router, "/findings") { visit async throws(Problem) in try await findings(visit) }
    page(router, "/incident") { visit async throws(Problem) in try await incident(visit) }
    page(router, "/live") { visit async throws(Problem) in try await live(visit) }
    page(router, "/live/stream") { visit async throws(Problem) in try await stream(visit) }
    page(router, "/compare") { visit async throws(Problem) in try await compare(visit) }
    page(router, "/status") { visit async throws(Problem) in try await status(visit) }
    addActPages(to: router)
    addDeliveryPages(to: router)
  }

  /// Registers a page that is asked for by GET.
  func page(
    _ router: Router<ServiceContext>, _ path: String, _ scope: TokenScope = .read,
    _ body: @escaping PageBody
  ) {
    router.answer(RouterPath(path)) { request, context in
      await answer(request, context, scope, body)
    }
  }

  /// Answers a request for a page. Whatever is wrong with it is a page, too.
  func answer(
    _ request: Request, _ context: ServiceContext, _ scope: TokenScope, _ body: PageBody
  ) async -> Response {
    var visitor: PageVisitor?
    do throws(Problem) {
      visitor = try door.visitor(of: request, gate)
      guard let visitor else {
        try rates.take(address: context.address)
        return signInFirst(request)
      }
      if visitor.isSignedIn {
        try rates.take(token: visitor.token.name)
      } else {
        try rates.take(address: context.address)
      }
      var context = context
      context.token = visitor.token
      context.logger[metadataKey: "token"] = "\(visitor.token.name)"
      guard visitor.token.allows(scope) else {
        throw Problem(
          .forbidden,
          "The token \(visitor.token.name) has no scope “\(scope.rawValue)”, which this needs.")
      }
      let visit = PageVisit(request: request, context: context, visitor: visitor)
      return response(try await body(visit), visitor)
    } catch {
      faults.tell(error, context.logger)
      return refusal(error, visitor)
    }
  }

  func response(_ answer: PageAnswer, _ visitor: PageVisitor?) -> Response {
    switch answer {
    case .page(let page): return PageFrame(door: door, visitor: visitor).response(page)
    case .elsewhere(let address): return Self.elsewhere(address.text)
    case .document(let html, let policy):
      return Response(
        status: .ok, headers: door.headers(policy: policy),
        body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    case .stream(let response): return response
    }
  }

  /// The answer that another page is to be asked for by GET.
  static func elsewhere(_ address: String) -> Response {
    Response(
      status: .seeOther,
      headers: [.location: address, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
  }

  func refusal(_ problem: Problem, _ visitor: PageVisitor?) -> Response {
    var body: HTML = "<h1>\(problem.kind.title)</h1>\n<section class=\"card\">"
    body += "<p>\(problem.detail)</p><p><a href=\"/\">To the search</a></p></section>\n"
    let page = Page(title: problem.kind.title, body: body, status: problem.status)
    var response = PageFrame(door: door, visitor: visitor).response(page)
    if let seconds = problem.retryAfterSeconds { response.headers[.retryAfter] = "\(seconds)" }
    return response
  }

  /// Asks the ledger on behalf of a visitor, who must be allowed to, and notes it as a question
  /// over HTTP is noted.
  func ask<Value: Sendable>(
    _ visit: PageVisit, _ subject: Subject, named: String? = nil,
    _ body: @escaping @Sendable (LedgerView) throws(LedgerError) -> Value
  ) async throws(Problem) -> Value {
    let token = visit.token
    return try await noting(subject, named, visit.context) { () throws(Problem) in
      try await work.ask(isSurvey: subject.isMany(named: named)) {
        (view) throws(Problem) -> (Value, UInt64) in
        try AccessRule.check(token, subject, in: view)
        do throws(LedgerError) { return (try body(view), view.position) } catch {
          throw Problem(error)
        }
      }
    }
  }

  // MARK: - The pages

  private func search(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let text = try visit.items(["q"]).required("q")
    if visit.visitor.isRestricted { return try await searchOwn(text, visit) }
    let now = visit.now
    let found = try await ask(visit, .everybody, named: "search \(text.text)") {
      (view) throws(LedgerError) in
      let position = UInt64(digits: text.text)
      let atPosition =
        if let position, (1...max(view.position, 1)).contains(position), view.position > 0 {
          try view.event(at: position)
        } else {
          nil as RecordedEvent?
        }
      return SearchPage.Found(
        customers: try view.customers(matching: text, now: now),
        event: try view.event(withID: text), atPosition: atPosition, position: view.position)
    }
    if let address = SearchPage.only(found) { return .elsewhere(address) }
    return .page(SearchPage(text: text.text).page(found, now: now))
  }

  /// The search of a token that may not look at everybody: what is asked for by its whole name.
  private func searchOwn(_ text: Name, _ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let ways: [CustomerReference] =
      visit.token.account == nil
      ? [.account(text), .transaction(text), .original(text)] : [.account(text)]
    for way in ways {
      let isThere: Bool
      do throws(Problem) {
        isThere = try await ask(visit, .customer(way)) { (view) throws(LedgerError) in
          try view.entitlements(of: way, now: visit.now).isKnown
        }
      } catch {
        guard error.kind == .notFound else { throw error }
        continue
      }
      if isThere { return .elsewhere(.customer(way)) }
    }
    throw Problem(
      .notFound,
      "Nobody whom this token may see has exactly this account or transaction. A token without "
        + "restrictions finds parts of ids, too.")
  }

  private func customer(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let items = try visit.items(
      QuestionRoute.customer + PageMoment.parameters + ["events", "done"])
    let (reference, moment) = (try items.requiredCustomer(), try PageMoment(items))
    let events = try items.number("events", in: 1...CustomerPage.eventsMax)
    let done = try items.number("done", in: 1...UInt64.max)
    let (now, apps) = (visit.now, visit.token.knownApps)
    let subject = Subject.customer(reference, .of(reference, at: moment.clocks))
    let (overview, transactions) = try await ask(visit, subject) {
      (view) throws(LedgerError) in
      (
        try view.overview(
          of: reference, environments: moment.environments, clocks: moment.clocks, now: now,
          eventCountMax: events.map { Int($0) } ?? CustomerPage.eventsUsual, knownApps: apps),
        try view.transactions(
          of: reference, environments: moment.environments, clocks: moment.clocks
        ).entries
      )
    }
    let page = CustomerPage(
      reference: reference, overview: overview, transactions: transactions, moment: moment,
      visitor: visit.visitor, now: now, done: done)
    return .page(page.page)
  }

  private func why(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let items = try visit.items(QuestionRoute.customer + PageMoment.parameters + ["name"])
    let (reference, moment) = (try items.requiredCustomer(), try PageMoment(items))
    let name = try items.name("name")
    if case .account = reference, name == nil {
      throw Problem(.badRequest, "Name a product or an entitlement.")
    }
    let now = visit.now
    let others = CustomerQuestions.explained(
      reference, moment.environments, moment.clocks, now: now)
    let token = visit.token
    let (report, evidence) = try await ask(visit, .customer(reference, others)) {
      (view) throws(LedgerError) in
      let report = try AccessRule.seen(
        by: token,
        try view.explained(
          name, of: reference, environments: moment.environments, clocks: moment.clocks, now: now))
      return (report, try LogEvidence(report.explanation.steps.map(\.event.position), view))
    }
    return .page(
      WhyPage(report: report, evidence: evidence, reference: reference, moment: moment).page)
  }

  private func event(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    _ = try visit.items([])
    guard let text = visit.context.parameters.get("position"), let position = UInt64(digits: text)
    else {
      throw Problem(.notFound, "Expected the position of an event, a whole number from 1.")
    }
    var query = EventsQuery()
    (query.from, query.to) = (position, position)
    let page = try await ask(visit, .events(query)) { (view) throws(LedgerError) in
      guard position <= view.position, position > 0 else {
        throw LedgerError(
          .notFound, "There is no position \(position): the last one is \(view.position).")
      }
      return EventPage(recorded: try view.event(at: position), last: view.position).page
    }
    return .page(page)
  }

  private func findings(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let filter = try FindingsPage.Filter(visit.items(FindingsPage.Filter.parameters))
    let found = try await ask(visit, .everybody) { (view) throws(LedgerError) in
      try FindingsPage.found(filter, view)
    }
    return .page(FindingsPage(filter: filter).page(found))
  }

  private func incident(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let page = try IncidentPage(visit.items(IncidentPage.parameters))
    return try await ask(visit, page.subject) { (view) throws(LedgerError) in
      try page.answer(view)
    }
  }

  private func live(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let page = try LivePage(visit.items(LivePage.parameters), visit.token)
    let found = try await ask(visit, .events(page.query)) { (view) throws(LedgerError) in
      try page.found(view)
    }
    return .page(page.page(found))
  }

  /// The stream of the live page. It has an address of its own, because no address of the JSON
  /// questions takes a cookie.
  private func stream(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let items = try visit.items(LivePage.parameters)
    let page = try LivePage(items, visit.token)
    let from = try items.number("from", in: 1...UInt64.max)
    _ = try await ask(visit, .events(page.query)) { (_) throws(LedgerError) in true }
    let (request, token) = (visit.request, visit.token)
    let following = EventFollowing(
      work: work, watch: watch, text: LivePage.streamed,
      isAllowed: { [door, gate] in door.admits(request, as: token, gate) })
    return .stream(try following.response(page.query, from: from, to: request, visit.context))
  }

  private func compare(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    let asked = try ComparePage.Asked(visit.items(ComparePage.parameters))
    let subject: Subject? = asked.account.map { account in
      .customer(
        .account(account),
        OtherStates { (view) throws(LedgerError) in
          let (before, after) = try asked.sides(view)
          return [before, after].map { .init(customer: .account(account), clocks: $0.clocks) }
        })
    }
    let found = try await ask(visit, subject ?? .everybody) { (view) throws(LedgerError) in
      try ComparePage.found(asked, view)
    }
    return .page(ComparePage(asked: asked).page(found))
  }

  private func status(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    _ = try visit.items([])
    let state = try await foldState()
    let ledger = work.ledger
    var statistics: LedgerStatistics?
    if visit.token.allows(.admin), !visit.visitor.isRestricted {
      statistics = try await work.run { () throws(Problem) in
        do throws(LedgerError) { return try ledger.statistics() } catch { throw Problem(error) }
      }
    }
    let page = StatusPage(
      version: version, log: state.log, folded: state.folded, lag: state.lag,
      foldFailure: ledger.foldFailure, followers: watch.followerCount,
      sessions: door.sessions.count, statistics: statistics)
    return .page(page.page)
  }
}
