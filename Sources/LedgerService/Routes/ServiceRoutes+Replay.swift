import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerStore
import Replay

extension ServiceRoutes {
  /// A replay, and with a body the same of events that are edited. Neither changes the ledger.
  func addReplay(to group: RouterGroup<ServiceContext>) {
    let path = RouterPath(ReplayAsked.path)
    group.answer(path) { request, context in
      let now = EventLog.systemClock()
      let items = try QueryItems(request.uri.query, ReplayAsked.parameters, now: now)
      return try await replay(items, [], now, request, context)
    }
    group.post(path) { request, context in
      let now = EventLog.systemClock()
      let items = try QueryItems(request.uri.query, ReplayAsked.parameters, now: now)
      return try await budget.read(
        request, on: context.channel.eventLoop, upTo: ServiceLimits.replayBodyBytesMax
      ) { (body) async throws(Problem) -> Response in
        let edits = try ReplayEdits.read(Array(body.readableBytesView))
        return try await replay(items, edits, now, request, context)
      }
    }
  }

  private func replay(
    _ items: QueryItems, _ edits: [ReplayEdit], _ now: Instant, _ request: Request,
    _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let form = try AnswerForm(
      items, accept: request.headers[.accept], among: ReplayAsked.forms)
    let atLeast = try items.number("atLeast", in: 1...UInt64.max)
    let asked = try ReplayAsked(items, edits, form)
    return try await answer(asked.asked, form, atLeast, now, request, context)
  }
}
