import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import ServiceAccess
import Webhooks

extension ServiceRoutes {
  /// The page of what goes out and what was not taken in.
  func addDeliveryPages(to router: Router<ServiceContext>) {
    page(router, DeliveriesPage.path, .admin) { visit async throws(Problem) in
      try await deliveryPage(visit)
    }
    router.post(RouterPath(DeliveriesPage.resendPath)) { request, context in
      await answer(request, context, .admin) { visit async throws(Problem) in
        try await resend(visit)
      }
    }
  }

  private func deliveryPage(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    try Self.refuseRestricted(visit.context)
    let items = try visit.items(DeliveriesPage.parameters)
    let (name, text) = (try items.text("webhook"), try items.text("state"))
    let before = try items.number("before", in: 1...UInt64(Int64.max)).map { Int64($0) }
    let resent = try Self.resent(items, name, visit.visitor)
    let state = text.flatMap(Delivery.State.init(text:))
    if let text, state == nil {
      throw QueryItems.unknown("state", text, among: Delivery.State.allCases.map(\.text))
    }
    let (keeper, ledger, refused) = (webhooks, work.ledger, desk?.refused)
    let page = try await work.run { () throws(Problem) in
      let (all, chosen) = try Self.keeping { () throws(WebhookError) in
        guard let store = try keeper.store() else {
          return ([(webhook: Webhook, counts: DeliveryCounts)](), [Delivery]())
        }
        let chosen = try name.map { (name) throws(WebhookError) in
          try store.deliveries(
            of: name, in: state, before: before, limit: DeliveriesPage.shownMax)
        }
        return (try store.list(), chosen ?? [])
      }
      let accounts = try Self.accounts(of: chosen, ledger)
      return DeliveriesPage(
        webhooks: all,
        chosen: name.map {
          .init(name: $0, state: state, deliveries: chosen, accounts: accounts)
        },
        refused: try refused?.names() ?? [], resent: resent, visitor: visit.visitor,
        now: visit.now
      ).page
    }
    return .page(page)
  }

  /// Sends messages again, as a form on the page asks.
  private func resend(_ visit: PageVisit) async throws(Problem) -> PageAnswer {
    try Self.refuseRestricted(visit.context)
    let items = try await fields(visit.request, visit.context, DeliveriesPage.fields)
    try PageDoor.check(items.texts(PageDoor.formField).first, visit.visitor)
    guard let name = try items.text("webhook") else {
      throw Problem(.badRequest, "The form names no webhook.")
    }
    let choice: DeliveryChoice
    switch (try items.text("message"), try items.flag("dead")) {
    case (let message?, false): choice = .message(message)
    case (nil, true): choice = .dead
    default: throw Problem(.badRequest, "The form does not say what is to be sent again.")
    }
    let store = try stored()
    let count = try await work.run { () throws(Problem) in
      try Self.keeping { () throws(WebhookError) in
        try store.resend(choice, of: name, at: visit.now)
      }
    }
    noteChange("resend", name, visit.context)
    return .elsewhere(DeliveriesPage.address(of: name, resent: count, visit.visitor))
  }

  /// How many messages the visitor's form has sent again; nil if the address does not come from
  /// that form.
  private static func resent(
    _ items: QueryItems, _ webhook: String?, _ visitor: PageVisitor
  ) throws(Problem) -> UInt64? {
    let number = try items.number("resent", in: 0...UInt64.max)
    guard let number, let webhook, let seal = try items.text("seal"),
      SessionKeeper.areEqual(seal, DeliveriesPage.seal(webhook, number, visitor))
    else { return nil }
    return number
  }
}
