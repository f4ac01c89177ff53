import Entitlements
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import ServiceAccess

extension ServiceRoutes {
  static let verdictPath = "/v1/verdict"

  /// May this account have this? The one question that is asked at every tap, so it takes the short
  /// way: one lookup of the stored answer, on the thread that has the request. ``QuickVerdicts``
  /// answers most of them before they come here.
  func addVerdict(to group: RouterGroup<ServiceContext>) {
    group.answer(RouterPath(Self.verdictPath)) { request, context in
      try await verdict(request, context)
    }
  }

  private func verdict(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let asked = try VerdictAsked(request.uri.query, now: EventLog.systemClock())
    if let least = asked.atLeast { try await watch.reach(least, within: atLeastSeconds) }
    let token = try Self.token(context)
    if token.isRestricted {
      do throws(Problem) {
        try await work.ask { (view) throws(Problem) in
          try AccessRule.check(token, asked.subject, in: view)
        }
      } catch {
        note(asked.subject, nil, context, refused: error.kind)
        throw error
      }
    }
    let lookups = lookups
    // The past is folded from the customer's events, which may take long.
    let verdict =
      asked.at == nil
      ? lookups.isEntitled(asked.account.text, to: asked.item, environments: asked.environments)
      : try await work.run { () throws(Problem) in
        lookups.isEntitled(
          asked.account.text, to: asked.item, at: asked.at, environments: asked.environments)
      }
    let (json, position) = try asked.answer(verdict)
    note(asked.subject, position, context)
    if let signing = asked.signing {
      return try signed(
        json, to: "verdict", signing, position: position, changesAt: verdict.detail?.nextChangeAt)
    }
    return Self.verdict(json, position).response
  }

  /// Answers a question if its token is for everybody, and if the answer is stored; nil if more is
  /// needed, or to refuse it. Then nothing was counted or noted.
  ///
  /// - Parameters:
  ///   - request: What asks ``verdictPath``.
  ///   - context: The context of the request, which gets its token.
  /// - Complexity: One lookup; waits for nobody.
  /// - Throws: ``Problem``, which is said by whoever asks again.
  func quickVerdict(
    _ request: Request, _ context: inout ServiceContext
  ) throws(Problem) -> PlainResponse? {
    let asked = try VerdictAsked(request.uri.query, now: EventLog.systemClock())
    guard asked.isPlain else { return nil }
    let token = try gate.token(of: request)
    guard token.allows(.read), !token.isRestricted,
      let verdict = lookups.storedVerdict(
        asked.account.text, to: asked.item, environments: asked.environments)
    else { return nil }
    let (json, position) = try asked.answer(verdict)
    guard rates.admits(token, gate, from: context.address) else { return nil }
    context.token = token
    note(asked.subject, position, context)
    return Self.verdict(json, position)
  }

  private static func verdict(_ json: String, _ position: UInt64) -> PlainResponse {
    var plain = plainDocument(json)
    plain.response.headers[.positionName] = "\(position)"
    return plain
  }
}
