import Entitlements
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import LedgerStore
import Logging
import Metrics
import ServiceAccess

/// The addresses of the service, and what each does.
struct ServiceRoutes: Sendable {
  let work: LedgerWork
  let lookups: Entitlements
  let watch: LogWatch
  let gate: AccessGate
  /// How many requests are taken of whom.
  let rates: RateGate
  /// What signs answers.
  let answerKeys: AnswerKeyKeeper
  var budget = BodyBudget()
  /// The same for bodies of those who need no token.
  var strangersBudget = BodyBudget(bytesMax: ServiceLimits.strangersBytesMax)
  /// How long `atLeast` waits, in seconds.
  var atLeastSeconds = ServiceLimits.atLeastSeconds
  let metrics: PrometheusRegistry
  /// Who asked what about whom.
  let audit: Logger
  let version: String
  /// nil if no app is named whose notifications are taken.
  let desk: NotificationDesk?
  /// Who may see the pages.
  var door = PageDoor()
  let webhooks: WebhookKeeper
  /// Where it is said why requests cannot be answered.
  let faults = FaultLog()

  func router() -> Router<ServiceContext> {
    let router = Router(context: ServiceContext.self)
    let addresses = AddressTable()
    router.add(middleware: KnownMethods(addresses: addresses))
    router.add(middleware: MetricsMiddleware())
    router.add(middleware: RequestLog(addresses: addresses, faults: faults))
    router.add(middleware: StatedLength())
    let unguarded = router.group().add(middleware: AddressLimit(rates: rates))
    addUnguarded(to: unguarded)
    addNotifications(to: unguarded)
    addKeys(to: unguarded)
    addPages(to: router)
    addReading(
      to: router.group().add(middleware: AccessMiddleware(gate: gate, rates: rates, scope: .read)))
    addAppending(
      to: router.group().add(middleware: AccessMiddleware(gate: gate, rates: rates, scope: .append))
    )
    addActs(
      to: router.group().add(
        middleware: AccessMiddleware(gate: gate, rates: rates, scope: .operate)))
    let administration = router.group()
      .add(middleware: AccessMiddleware(gate: gate, rates: rates, scope: .admin))
    addAdministration(to: administration)
    addWebhooks(to: administration)
    addresses.learn(router)
    return router
  }

  // MARK: - For machines that look after the service

  private func addUnguarded(to router: RouterGroup<ServiceContext>) {
    router.answer("/health") { _, _ in Self.document { $0.member("status", "alive") } }
    router.answer("/ready") { _, _ in try await ready() }
    router.answer("/version") { [version] _, _ in
      Self.document { json in
        json.member("daybook", version)
        json.member("ledgerFormat", LogIdentity.formatVersion)
        json.member("recordFormat", Record.formatVersion)
        json.member("lmdb", Ledger.lmdbVersion)
      }
    }
  }

  /// Whether the ledger can be read, and how far the projections are behind.
  private func ready() async throws(Problem) -> Response {
    let state = try await foldState()
    let isReady = state.lag <= ServiceLimits.lagEventsMax
    return Self.document(status: isReady ? .ok : .serviceUnavailable) { json in
      json.member("status", isReady ? "ready" : "behind")
      json.member("position", state.log)
      json.member("projections", state.folded)
      json.member("lag", state.lag)
      if let failure = work.ledger.foldFailure { json.member("foldFailure", failure) }
    }
  }

  /// The last position, that up to which the projections are folded, and the events in between.
  func foldState() async throws(Problem) -> (log: UInt64, folded: UInt64?, lag: UInt64) {
    let ledger = work.ledger
    return try await work.run { () throws(Problem) in
      do throws(LedgerError) {
        // Nothing is folded that is not in the log, so the log is asked last.
        let folded = try ledger.projectionPosition()
        let log = try ledger.log.lastPosition()
        return (log, folded, log - (folded ?? 0))
      } catch {
        throw Problem(error)
      }
    }
  }

  static func document(
    status: HTTPResponse.Status = .ok, _ body: (inout JSONText) -> Void
  ) -> Response {
    plainDocument(JSONText.text { json in json.object(body) }, status: status).response
  }

  static func plainDocument(
    _ json: String, status: HTTPResponse.Status = .ok
  ) -> PlainResponse {
    let body = ByteBuffer(string: json + "\n")
    return PlainResponse(
      response: Response(
        status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: body)),
      body: body)
  }

  // MARK: - Reading

  private func addReading(to group: RouterGroup<ServiceContext>) {
    for route in QuestionRoute.all {
      group.answer(RouterPath(route.path)) { request, context in
        try await answer(route, request, context)
      }
    }
    addVerdict(to: group)
    addReplay(to: group)
    group.answer("/v1/events") { request, context in try await events(request, context) }
    group.answer("/v1/events/:position") { request, context in
      guard let text = context.parameters.get("position"), let position = UInt64(digits: text)
      else {
        throw Problem(.notFound, "Expected the position of an event, a whole number from 1.")
      }
      let route = QuestionRoute("/v1/events/:position", []) { _ in
        EventQuestions.event(at: position)
      }
      return try await answer(route, request, context)
    }
    group.answer("/v1/rules") { _, _ in
      Self.list(Rule.allCases.map { rule in JSONText.text { rule.write(to: &$0) } })
    }
    group.answer("/v1/types") { _, _ in
      Self.list(
        EventKind.allCases.filter { $0 != .unknown }.map { kind in
          JSONText.text { kind.write(to: &$0) }
        })
    }
  }

  private static func list(_ items: [String]) -> Response {
    document { json in
      json.key("items")
      json.raw("[" + items.joined(separator: ",\n") + "]")
    }
  }

  private func answer(
    _ route: QuestionRoute, _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let now = EventLog.systemClock()
    let items = try QueryItems(request.uri.query, route.parameters, now: now)
    let atLeast = try items.number("atLeast", in: 1...UInt64.max)
    if items.takes("signed"), let signing = try SigningAsked(items) {
      let answer = try await answered(try route.read(items), atLeast, now, context)
      guard case .document(let json, _) = answer.content else {
        throw Problem(.badRequest, "A list cannot be signed.")
      }
      return try signed(
        json, to: route.name, signing, position: answer.position, changesAt: answer.changesAt)
    }
    let form = try AnswerForm(items, accept: request.headers[.accept])
    let question = try route.read(items)
    return try await answer(question, form, atLeast, now, request, context)
  }

  func answer(
    _ question: Question, _ form: AnswerForm, _ atLeast: UInt64?, _ now: Instant,
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    try await answered(question, atLeast, now, context).response(form, to: request)
  }

  private func answered(
    _ question: Question, _ atLeast: UInt64?, _ now: Instant, _ context: ServiceContext
  ) async throws(Problem) -> Answer {
    if let atLeast { try await watch.reach(atLeast, within: atLeastSeconds) }
    let token = try Self.token(context)
    return try await noting(question.subject, question.named, context) { () throws(Problem) in
      let isSurvey = question.subject.isMany(named: question.named)
      let answer = try await work.ask(isSurvey: isSurvey) { (view) throws(Problem) in
        try AccessRule.check(token, question.subject, in: view)
        return try question.answer(view, now, token)
      }
      return (answer, answer.position)
    }
  }

  /// Answers a question, and notes who asked it about whom, also if it was refused.
  ///
  /// - Parameters:
  ///   - subject: Whom it is about.
  ///   - named: What it names, if only the ledger knows whom that is.
  ///   - context: Who asks.
  ///   - body: Returns the answer and the position that it knows.
  func noting<Value>(
    _ subject: Subject, _ named: String?, _ context: ServiceContext,
    _ body: () async throws(Problem) -> (Value, UInt64)
  ) async throws(Problem) -> Value {
    do throws(Problem) {
      let (value, position) = try await body()
      note(subject, position, context, named: named)
      return value
    } catch {
      if [.forbidden, .notFound].contains(error.kind) {
        note(subject, nil, context, named: named, refused: error.kind)
      }
      throw error
    }
  }

  /// Every question comes with a token, which the middleware has looked at.
  static func token(_ context: ServiceContext) throws(Problem) -> AccessToken {
    if let token = context.token { return token }
    throw Problem(.unauthenticated, "Send a token as “Authorization: Bearer …”.")
  }

  /// Notes who asked what about whom.
  ///
  /// - Parameters:
  ///   - position: What the answer knows; nil if there was none.
  ///   - refused: Why there was none.
  func note(
    _ subject: Subject, _ position: UInt64?, _ context: ServiceContext, named: String? = nil,
    refused: Problem.Kind? = nil
  ) {
    guard audit.logLevel <= .notice else { return }
    var metadata: Logger.Metadata = [
      "request": "\(context.id)", "token": "\(context.token?.name ?? "-")",
      "route": "\(context.endpointPath ?? "-")", "about": "\(named ?? subject.words)",
    ]
    if let position { metadata["position"] = "\(position)" }
    if let refused { metadata["refused"] = "\(refused.rawValue)" }
    audit.notice("asked", metadata: metadata)
  }

  private func events(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let now = EventLog.systemClock()
    let route = QuestionRoute.events
    let items = try QueryItems(request.uri.query, route.parameters, now: now)
    guard try items.flag("follow") else {
      let form = try AnswerForm(items, accept: request.headers[.accept])
      let atLeast = try items.number("atLeast", in: 1...UInt64.max)
      let question = try route.read(items)
      return try await answer(question, form, atLeast, now, request, context)
    }
    try EventFollowing.refuseOthers(items)
    var query = try EventQuestions.query(items)
    let token = try Self.token(context)
    query.knownApps = token.knownApps
    let (asked, from) = (query, try items.number("from", in: 1...UInt64.max))
    try await noting(.events(asked), nil, context) { () throws(Problem) in
      try await work.ask { (view) throws(Problem) in
        try AccessRule.check(token, .events(asked), in: view)
      }
      return ((), try position())
    }
    let following = EventFollowing(
      work: work, watch: watch, isAllowed: { [gate] in gate.admits(request, as: token) })
    return try following.response(asked, from: from, to: request, context)
  }

  private func position() throws(Problem) -> UInt64 {
    do throws(LedgerError) { return try work.ledger.log.lastPosition() } catch {
      throw Problem(error)
    }
  }

  // MARK: - Administration

  private func addAdministration(to group: RouterGroup<ServiceContext>) {
    group.answer("/metrics") { _, context in
      try Self.refuseRestricted(context, "The metrics are")
      return try await measured(context)
    }
    group.answer("/v1/stats") { request, context in
      try Self.refuseRestricted(context, "The statistics are")
      let items = try QueryItems(request.uri.query, ["format"], now: EventLog.systemClock())
      let form = try AnswerForm(items, accept: request.headers[.accept])
      return try await statistics().response(form, to: request)
    }
  }

  private func statistics() async throws(Problem) -> Answer {
    let ledger = work.ledger
    return try await work.run { () throws(Problem) in
      do throws(LedgerError) {
        let statistics = try ledger.statistics()
        let byRule = try ledger.read { (view) throws(LedgerError) in
          try view.findings().countsByRule
        }
        let json = statistics.json(findings: byRule, foldFailure: ledger.foldFailure)
        return Answer(content: .document(json, rows: nil), position: statistics.events)
      } catch {
        throw Problem(error)
      }
    }
  }

  /// The metrics of the process, with the state of the ledger as it is now. What cannot be read is
  /// one of them: whoever is told of it has to get the others, too.
  private func measured(_ context: ServiceContext) async throws(Problem) -> Response {
    try await measure("daybook.ledger.readable", context) { () throws(Problem) in
      let (log, folded) = (
        PrometheusRegistry.Key("daybook.log.position", []),
        PrometheusRegistry.Key("daybook.projection.position", [])
      )
      let lag = PrometheusRegistry.Key("daybook.projection.lag.events", [])
      var unknown = [log, folded, lag]
      // The last value would look like a ledger that stands still.
      defer { for key in unknown { metrics.remove(key) } }
      metrics.set(log, Double(try await logPosition()))
      unknown = [folded, lag]
      let state = try await foldState()
      unknown = []
      metrics.set(log, Double(state.log))
      if let position = state.folded { metrics.set(folded, Double(position)) }
      metrics.set(lag, Double(state.lag))
    }
    metrics.set(.init("daybook.followers", []), Double(watch.followerCount))
    try await measure("daybook.webhooks.readable", context) { () throws(Problem) in
      try await measureWebhooks()
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
  }
}

extension ServiceRoutes {
  /// Measures something that may be damaged, and sets a metric to 1 or 0 for whether it can be
  /// read.
  private func measure(
    _ label: String, _ context: ServiceContext, _ body: () async throws(Problem) -> Void
  ) async throws(Problem) {
    var isReadable = true
    do throws(Problem) { try await body() } catch {
      guard error.isFault else { throw error }
      faults.tell(error, context.logger)
      isReadable = false
    }
    metrics.set(.init(label, []), isReadable ? 1 : 0)
  }

  private func logPosition() async throws(Problem) -> UInt64 {
    try await work.run { () throws(Problem) in try position() }
  }
}

extension RouterMethods<ServiceContext> {
  /// Registers what answers GET and HEAD at an address. ``RequestLog`` leaves out the body of the
  /// latter: Hummingbird would do so around the middleware, which then counts the request as active
  /// for ever.
  func answer(
    _ path: RouterPath,
    use handler: @escaping @Sendable (Request, ServiceContext) async throws -> Response
  ) {
    get(path, use: handler)
    head(path, use: handler)
  }
}
