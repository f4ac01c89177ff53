import Entitlements
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import ServiceAccess

extension ServiceRoutes {
  static let verdictPath = "/v1/verdict"
  private static let verdictParameters =
    [
      "account", "product", "entitlement", "at", "environment", "atLeast",
    ] + SigningAsked.parameters

  /// May this account have this? The one question that is asked at every tap, so it takes the short
  /// way: one lookup of the stored answer, on the thread that has the request.
  func addVerdict(to group: RouterGroup<ServiceContext>) {
    group.answer(RouterPath(Self.verdictPath)) { request, context in
      try await verdict(request, context)
    }
  }

  private func verdict(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let items = try QueryItems(
      request.uri.query, Self.verdictParameters, now: EventLog.systemClock())
    let signing = try SigningAsked(items)
    let account = try items.required("account")
    let (product, entitlement) = (try items.name("product"), try items.name("entitlement"))
    let (at, environments) = (try items.instant("at"), Set(try items.environments()))
    let item: Item
    switch (product, entitlement) {
    case (let product?, nil): item = .product(product.text)
    case (nil, let entitlement?): item = .entitlement(entitlement.text)
    default: throw Problem(.badRequest, "Name either a product or an entitlement.")
    }
    if let least = try items.number("atLeast", in: 1...UInt64.max) {
      try await watch.reach(least, within: atLeastSeconds)
    }
    let token = try Self.token(context)
    let subject = Subject.customer(.account(account))
    if token.account != nil || !token.apps.isEmpty {
      do throws(Problem) {
        try await work.ask { (view) throws(Problem) in
          try AccessRule.check(token, subject, in: view)
        }
      } catch {
        note(subject, nil, context, refused: error.kind)
        throw error
      }
    }
    let lookups = lookups
    // The past is folded from the customer's events, which may take long.
    let verdict =
      at == nil
      ? lookups.isEntitled(account.text, to: item, environments: environments)
      : try await work.run { () throws(Problem) in
        lookups.isEntitled(account.text, to: item, at: at, environments: environments)
      }
    return try answer(verdict, account, product, entitlement, signing, subject, context)
  }

  private func answer(
    _ verdict: Verdict, _ account: Name, _ product: Name?, _ entitlement: Name?,
    _ signing: SigningAsked?, _ subject: Subject, _ context: ServiceContext
  ) throws(Problem) -> Response {
    let (word, position): (String, UInt64)
    switch verdict {
    case .yes(let detail): (word, position) = ("yes", detail.position)
    case .no(let detail): (word, position) = ("no", detail.position)
    case .unknownAccount(let last): (word, position) = ("unknownAccount", last)
    case .unavailable(let why): throw Problem(LedgerError(why.code, why.message))
    }
    note(subject, position, context)
    let detail = verdict.detail
    func write(_ json: inout JSONText) {
      json.member("account", account)
      json.member("product", product)
      json.member("entitlement", entitlement)
      json.member("verdict", word)
      json.member("state", detail?.state?.text)
      json.member("since", detail?.since)
      json.member("expiresAt", detail?.expiresAt)
      json.member("nextChangeAt", detail?.nextChangeAt)
      json.member("source", detail?.source.map { $0 == .operator ? "operator" : "store" })
      json.member("environment", detail?.environment?.text)
      json.member("position", position)
    }
    if let signing {
      return try signed(
        JSONText.text { $0.object(write) }, to: "verdict", signing, position: position,
        changesAt: detail?.nextChangeAt)
    }
    var response = Self.document(write)
    response.headers[.positionName] = "\(position)"
    return response
  }
}
