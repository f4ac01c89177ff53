import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import Metrics
import ServiceAccess

extension ServiceRoutes {
  func addAppending(to group: RouterGroup<ServiceContext>) {
    group.post("/v1/events") { request, context in try await append(request, context) }
  }

  private func append(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let items = try QueryItems(
      request.uri.query, AppendRequest.parameters, now: EventLog.systemClock())
    let asked = try AppendRequest(request, items, try Self.token(context))
    let loop = context.channel.eventLoop
    let answer = try await budget.read(request, on: loop) {
      (body) async throws(Problem) -> AppendAnswer in
      let bytes = Array(body.readableBytesView)
      return try await work.append { (ledger) throws(Problem) in
        var appender = Appender(asked, to: ledger)
        return try appender.append(try AppendBody(bytes, asked))
      }
    }
    answer.count()
    return answer.response(to: asked)
  }

  func addActs(to group: RouterGroup<ServiceContext>) {
    for kind in ActRequest.Kind.allCases {
      group.post(RouterPath("/v1/acts/\(kind.rawValue)")) { request, context in
        try await act(kind, request, context)
      }
    }
  }

  private func act(
    _ kind: ActRequest.Kind, _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let now = EventLog.systemClock()
    let items = try QueryItems(request.uri.query, ["dryRun"], now: now)
    let isRehearsal = try items.flag("dryRun")
    let (key, token) = (try AppendRequest.key(request), try Self.token(context))
    let (json, position, about) = try await budget.read(request, on: context.channel.eventLoop) {
      (body) async throws(Problem) -> (String, UInt64?, Name) in
      let asked = try ActRequest(
        kind, Array(body.readableBytesView), key: key, token, now: now)
      let about = asked.act.accounts[0]
      if isRehearsal {
        let json = try await work.ask { (view) throws(Problem) in
          try asked.rehearsed(view, token)
        }
        return (json, nil, about)
      }
      let (json, position) = try await work.append { (ledger) throws(Problem) in
        try asked.done(ledger, token)
      }
      return (json, position, about)
    }
    note(.customer(.account(about)), position ?? 0, context)
    var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
    if let position { headers[.positionName] = "\(position)" }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: json + "\n")))
  }
}

extension AppendAnswer {
  private static let appendedCount = Counter(label: "daybook.events.appended")
  private static let duplicateCount = Counter(label: "daybook.events.duplicate")
  private static let rejectedCount = Counter(label: "daybook.events.rejected")

  /// Counts what became of the events.
  func count() {
    var (appended, duplicates, rejected) = (0, 0, 0)
    for line in lines {
      switch line.outcome {
      case .appended: appended += 1
      case .duplicate: duplicates += 1
      case .refused: rejected += 1
      }
    }
    Self.appendedCount.increment(by: appended)
    Self.duplicateCount.increment(by: duplicates)
    Self.rejectedCount.increment(by: rejected)
  }
}
