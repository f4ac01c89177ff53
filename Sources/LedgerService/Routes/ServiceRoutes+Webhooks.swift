import Foundation
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Logging
import ServiceAccess
import Webhooks

extension ServiceRoutes {
  /// The webhooks, for those who run the service.
  func addWebhooks(to group: RouterGroup<ServiceContext>) {
    group.answer("/v1/webhooks") { _, context in
      try Self.refuseRestricted(context)
      return try await listedWebhooks()
    }
    group.post("/v1/webhooks") { request, context in
      try Self.refuseRestricted(context)
      return try await create(request, context)
    }
    group.answer("/v1/webhooks/:name") { _, context in
      let name = try Self.webhookName(context)
      return try await work.run { () throws(Problem) in
        try Self.webhookDocument(name, try stored())
      }
    }
    group.delete("/v1/webhooks/:name") { _, context in
      try await change("remove", context) { (store, name, _) throws(WebhookError) in
        try store.remove(name)
        return { $0.member("removed", name) }
      }
    }
    group.patch("/v1/webhooks/:name") { request, context in
      let members = try await members(request, context, ["url"])
      let url = try members.required("url").text
      return try await change("move", context, to: url) { (store, name, now) throws(WebhookError) in
        try store.move(name, to: url, at: now)
        return try Self.members(of: name, store)
      }
    }
    for act in WebhookAct.allCases {
      group.post(RouterPath("/v1/webhooks/:name/\(act.rawValue)")) { _, context in
        try await change(act.rawValue, context) { (store, name, now) throws(WebhookError) in
          try act.run(name, store, now)
        }
      }
    }
    group.post("/v1/webhooks/:name/resend") { request, context in
      let choice = try DeliveryChoice(try await members(request, context, DeliveryChoice.members))
      return try await change("resend", context) { (store, name, now) throws(WebhookError) in
        let count = try store.resend(choice, of: name, at: now)
        return { $0.member("resent", count) }
      }
    }
    group.answer("/v1/webhooks/:name/deliveries") { request, context in
      try await deliveries(request, context)
    }
  }

  // MARK: - Questions

  private func listedWebhooks() async throws(Problem) -> Response {
    let keeper = webhooks
    return try await work.run { () throws(Problem) in
      let all = try Self.keeping { () throws(WebhookError) in try keeper.store()?.list() ?? [] }
      return Self.document { json in
        json.member("items", each: all) { json, item in
          json.object { item.webhook.write(item.counts, to: &$0) }
        }
      }
    }
  }

  private static func webhookDocument(
    _ name: String, _ store: WebhookStore
  ) throws(Problem) -> Response {
    let write = try keeping { () throws(WebhookError) in try members(of: name, store) }
    return document(write)
  }

  private static func members(
    of name: String, _ store: WebhookStore
  ) throws(WebhookError) -> @Sendable (inout JSONText) -> Void {
    let found = try store.webhook(named: name)
    return { found.webhook.write(found.counts, to: &$0) }
  }

  private func deliveries(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let items = try QueryItems(
      request.uri.query, ["state", "limit", "cursor"], now: EventLog.systemClock())
    let name = try Self.webhookName(context)
    let text = try items.text("state")
    let state = text.flatMap(Delivery.State.init(text:))
    if let text, state == nil {
      throw QueryItems.unknown("state", text, among: Delivery.State.allCases.map(\.text))
    }
    let limit = Int(try items.limit())
    let before = try items.number("cursor", in: 1...UInt64(Int64.max)).map { Int64($0) }
    let ledger = work.ledger
    return try await work.run { () throws(Problem) in
      let store = try stored()
      let found = try Self.keeping { () throws(WebhookError) in
        try store.deliveries(of: name, in: state, before: before, limit: limit)
      }
      let accounts = try Self.accounts(of: found, ledger)
      return Self.document { json in
        json.member("items", each: Array(zip(found, accounts))) { json, item in
          json.object { item.0.write(account: item.1, to: &$0) }
        }
        let isLast = found.count < min(limit, WebhookStore.pageMax)
        json.member("next", isLast ? nil : found.last.map { "\($0.number)" })
      }
    }
  }

  static func accounts(
    of deliveries: [Delivery], _ ledger: Ledger
  ) throws(Problem) -> [Name?] {
    do throws(LedgerError) {
      var accounts: [Name?] = []
      for delivery in deliveries { accounts.append(try delivery.account(in: ledger)) }
      return accounts
    } catch { throw Problem(error) }
  }

  // MARK: - Changes

  private func create(
    _ request: Request, _ context: ServiceContext
  ) async throws(Problem) -> Response {
    let members = try await members(
      request, context,
      ["name", "url", "types", "environments", "products", "rules", "severities", "apps"])
    let name = try members.required("name").text
    let url = try members.required("url").text
    let types = try members.texts("types")
    let environments = try members.texts("environments")
    let products = try members.texts("products")
    let (rules, severities) = (try members.texts("rules"), try members.texts("severities"))
    let apps = try members.texts("apps")
    let (keeper, ledger) = (webhooks, work.ledger)
    let response = try await work.run { () throws(Problem) in
      let position: UInt64
      do throws(LedgerError) { position = try ledger.log.lastPosition() } catch {
        throw Problem(error)
      }
      let (secret, made) = try Self.keeping { () throws(WebhookError) in
        let filter = try MessageFilter.parsed(
          types: types, environments: environments, products: products, rules: rules,
          severities: severities, apps: apps)
        let store = try keeper.storeMade()
        let secret = try store.create(
          Webhook(name: name, url: url, filter: filter, createdAt: EventLog.systemClock()),
          after: position)
        return (secret, try store.webhook(named: name))
      }
      return Self.document(status: .created) { json in
        json.member("secret", secret)
        made.webhook.write(made.counts, to: &json)
      }
    }
    noteChange("create", name, context, to: url)
    return response
  }

  /// - Parameters:
  ///   - what: The kind of the change, for the log.
  ///   - context: Whose request it is, and which webhook its address names.
  ///   - url: Where messages go from then on, if that changes.
  ///   - body: Changes it, and returns what is answered.
  private func change(
    _ what: String, _ context: ServiceContext, to url: String? = nil,
    _ body:
      @escaping @Sendable (WebhookStore, String, Instant) throws(WebhookError) ->
      @Sendable (inout JSONText) -> Void
  ) async throws(Problem) -> Response {
    let name = try Self.webhookName(context)
    let response = try await work.run { () throws(Problem) in
      let store = try stored()
      let write = try Self.keeping { () throws(WebhookError) in
        try body(store, name, EventLog.systemClock())
      }
      return Self.document(write)
    }
    noteChange(what, name, context, to: url)
    return response
  }

  /// Who has changed where customers' data is sent is in the log. Of a URL it is the host alone:
  /// the path can be a secret.
  func noteChange(
    _ what: String, _ name: String, _ context: ServiceContext, to url: String? = nil
  ) {
    var metadata: Logger.Metadata = [
      "request": "\(context.id)", "token": "\(context.token?.name ?? "-")",
      "route": "\(context.endpointPath ?? "-")", "webhook": "\(name)", "change": "\(what)",
    ]
    if let host = url.flatMap({ URLComponents(string: $0)?.host }) { metadata["to"] = "\(host)" }
    audit.notice("webhook changed", metadata: metadata)
  }

  private func members(
    _ request: Request, _ context: ServiceContext, _ known: [String]
  ) async throws(Problem) -> BodyMembers {
    try await budget.read(
      request, on: context.channel.eventLoop, upTo: ServiceLimits.webhookBodyBytesMax
    ) { (body) throws(Problem) in
      try BodyMembers(Array(body.readableBytesView), known)
    }
  }

  /// The webhook that the address names.
  private static func webhookName(_ context: ServiceContext) throws(Problem) -> String {
    try refuseRestricted(context)
    guard let name = context.parameters.get("name") else {
      throw Problem(.notFound, "Name a webhook.")
    }
    return name.removingPercentEncoding ?? name
  }

  /// Refuses what is about customers of all apps, as the messages of webhooks are.
  ///
  /// - Throws: ``Problem``: `forbidden`.
  static func refuseRestricted(
    _ context: ServiceContext, _ what: String = "Webhooks are"
  ) throws(Problem) {
    guard let token = context.token, token.account == nil, token.apps.isEmpty else {
      throw Problem(
        .forbidden, "\(what) about all customers, and the token is for some of them.")
    }
  }

  /// The webhooks, if there ever was one.
  func stored() throws(Problem) -> WebhookStore {
    let store = try Self.keeping { () throws(WebhookError) in try webhooks.store() }
    guard let store else { throw Problem(.notFound, "There is no webhook yet.") }
    return store
  }

  static func keeping<Value>(
    _ body: () throws(WebhookError) -> Value
  ) throws(Problem) -> Value {
    do throws(WebhookError) { return try body() } catch {
      switch error.code {
      case .invalid: throw Problem(.badRequest, error.message)
      case .unknown: throw Problem(.notFound, error.message)
      case .exists: throw Problem(.conflict, error.message)
      case .limitReached: throw Problem(.full, error.message)
      case .noLedger, .unknownVersion, .busy, .disk:
        throw Problem(
          fault: error.message, retryAfterSeconds: ServiceLimits.webhookRecoverySeconds)
      }
    }
  }
}

/// What can be done to a webhook without saying more.
private enum WebhookAct: String, CaseIterable {
  case pause, resume, rotate, test

  func run(
    _ name: String, _ store: WebhookStore, _ now: Instant
  ) throws(WebhookError) -> @Sendable (inout JSONText) -> Void {
    switch self {
    case .pause: try store.pause(name, at: now)
    case .resume: try store.resume(name, at: now)
    case .test: try store.test(name, at: now)
    case .rotate:
      let secret = try store.rotate(name, at: now)
      return { json in
        json.member("name", name)
        json.member("secret", secret)
      }
    }
    let found = try store.webhook(named: name)
    return { found.webhook.write(found.counts, to: &$0) }
  }
}

extension DeliveryChoice {
  static let members = ["message", "dead", "from", "to"]

  /// - Throws: ``Problem``: `badRequest`, unless one choice is made.
  fileprivate init(_ members: BodyMembers) throws(Problem) {
    let (message, isDead) = (try members.text("message"), try members.flag("dead"))
    let (from, to) = (try members.position("from"), try members.position("to"))
    switch (message, isDead, from, to) {
    case (let message?, false, nil, nil): self = .message(message)
    case (nil, true, nil, nil): self = .dead
    case (nil, false, let from?, let to) where from <= to ?? .max:
      self = .positions(from...(to ?? .max))
    default:
      throw Problem(
        .badRequest,
        "Expected one of: message, the id of one; dead, true for all dead letters; or from and to, "
          + "positions in ascending order.")
    }
  }
}

extension ServiceRoutes {
  /// Sets the metrics about webhooks as they are now, and forgets those of webhooks that are gone.
  func measureWebhooks() async throws(Problem) {
    let keeper = webhooks
    let all = try await work.run { () throws(Problem) in
      try Self.keeping { () throws(WebhookError) in try keeper.store()?.unsent() ?? [] }
    }
    metrics.forget("daybook.webhook", label: "webhook", except: Set(all.map(\.name)))
    for counts in all {
      let labels = [("webhook", counts.name)]
      metrics.set(.init("daybook.webhook.waiting", labels), Double(counts.waiting))
      metrics.set(.init("daybook.webhook.dead", labels), Double(counts.dead))
    }
  }
}
