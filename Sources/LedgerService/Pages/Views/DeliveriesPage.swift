import LedgerAnswers
import LedgerEvents
import LedgerModel
import ServiceAccess
import Webhooks

/// What goes out to the receivers of webhooks, and which notifications were not taken in.
struct DeliveriesPage {
  static let path = "/deliveries"
  static let resendPath = "/deliveries/resend"
  static let parameters = ["webhook", "state", "before", "resent", "seal"]
  /// How many deliveries are shown at once.
  static let shownMax = 50
  /// The fields of a form that sends messages again.
  static let fields = [PageDoor.formField, "webhook", "message", "dead"]

  /// A webhook whose deliveries are shown.
  struct Chosen: Sendable {
    var name: String
    var state: Delivery.State?
    var deliveries: [Delivery]
    var accounts: [Name?]
  }

  let webhooks: [(webhook: Webhook, counts: DeliveryCounts)]
  let chosen: Chosen?
  /// The names of the files of notifications that were not taken.
  let refused: [String]
  /// How many messages the visitor's form has put into the queue again.
  let resent: UInt64?
  let visitor: PageVisitor
  let now: Instant

  /// Where the form that sends messages again leads.
  ///
  /// - Parameters:
  ///   - webhook: Whose messages they are.
  ///   - resent: How many will be sent.
  ///   - visitor: Who has sent the form.
  static func address(
    of webhook: String, resent: Int, _ visitor: PageVisitor
  ) -> PageAddress {
    PageAddress(
      path,
      [
        ("webhook", webhook), ("resent", "\(resent)"),
        ("seal", seal(webhook, UInt64(resent), visitor)),
      ])
  }

  /// What shows that the number in an address is from the service, and for this visitor: anybody
  /// can write an address.
  static func seal(_ webhook: String, _ resent: UInt64, _ visitor: PageVisitor) -> String {
    SessionKeeper.seal("resent \(resent) \(webhook)", by: visitor.formToken)
  }

  var page: Page {
    var body: HTML = "<h1>Deliveries</h1>\n"
    if let resent {
      body +=
        "<p class=\"notice good\" role=\"status\">\(resent.counted("message")) will be sent "
        + "again.</p>\n"
    }
    body += .section("out", "Webhooks", list)
    if let chosen { body += .section("messages", "Messages to \(chosen.name)", messages(chosen)) }
    body += .section("in", "Notifications that were not taken", notifications)
    return Page(title: "Deliveries", place: .deliveries, body: body)
  }

  private var list: HTML {
    var table = PageTable(
      "Webhooks", ["Name", "Tells", "State", "Waiting", "Delivered", "Dead letters", "To"])
    for (webhook, counts) in webhooks {
      let name = webhook.name
      func link(_ state: Delivery.State, _ count: Int) -> HTML {
        .link(
          PageAddress(Self.path, [("webhook", name), ("state", state.text)]), "\(count)",
          unseen: "\(state.text) messages to \(name)")
      }
      table.add(
        [
          .link(PageAddress(Self.path, [("webhook", name)]), name),
          "\(webhook.filter.types.joined(separator: ", "))", state(of: webhook),
          link(.waiting, counts.waiting), link(.delivered, counts.delivered),
          link(.dead, counts.dead), .glance(webhook.url),
        ], marked: counts.dead > 0 || webhook.pauseReason != nil ? "late" : nil)
    }
    return table.html(
      empty: "No webhook yet: `daybook webhook create` makes one, or POST /v1/webhooks.")
  }

  private func state(of webhook: Webhook) -> HTML {
    if let reason = webhook.pauseReason { return "paused: \(reason)" }
    if let pausedAt = webhook.pausedAt { return "paused since \(HTML.time(pausedAt))" }
    return webhook.since.map { "tells since position \($0)" } ?? "new"
  }

  private func messages(_ chosen: Chosen) -> HTML {
    var table = PageTable(
      "Messages", ["Message", "Type", "Customer", "Position", "State", "Tried", "Next", "Again"])
    for (delivery, account) in zip(chosen.deliveries, chosen.accounts) {
      let position: HTML =
        delivery.position > 0 ? HTML.position(delivery.position) : HTML.nothing
      table.add([
        "<span class=\"name\">\(delivery.id)</span>", "\(delivery.type)",
        account.map { HTML.link(.account($0), $0.text) } ?? HTML.nothing, position,
        outcome(of: delivery), "\(delivery.attempts)",
        delivery.nextAt.map { HTML.time($0, from: now) } ?? HTML.nothing,
        delivery.state == .waiting ? HTML.nothing : resendForm(chosen.name, message: delivery),
      ])
    }
    var html = table.html(empty: "There is no such message.")
    if chosen.deliveries.count == Self.shownMax, let last = chosen.deliveries.last {
      let address = PageAddress(
        Self.path,
        [
          ("webhook", chosen.name), ("state", chosen.state?.text), ("before", "\(last.number)"),
        ])
      html += "<p>" + .link(address, "Older messages") + "</p>\n"
    }
    if chosen.state == .dead, !chosen.deliveries.isEmpty {
      html += form(chosen.name, .hidden("dead", "true"), "Send all dead letters again")
    }
    return html
  }

  private func outcome(of delivery: Delivery) -> HTML {
    guard let problem = delivery.problem, delivery.state != .delivered else {
      return "\(delivery.state.text)"
    }
    return "\(delivery.state.text): \(problem)"
  }

  private func resendForm(_ webhook: String, message: Delivery) -> HTML {
    form(webhook, .hidden("message", message.id), "Send again")
  }

  private func form(_ webhook: String, _ choice: HTML, _ title: String) -> HTML {
    var html: HTML = "<form action=\"\(Self.resendPath)\" method=\"post\">"
    html += .hidden(PageDoor.formField, visitor.formToken)
    html += .hidden("webhook", webhook)
    html += choice
    return html + "<button>\(title)</button></form>"
  }

  private var notifications: HTML {
    if refused.isEmpty { return .note("The service has taken everything that the store has sent.") }
    var html: HTML = "<p>These wait in the ledger’s folder, as they came. When what was wrong is "
    html += "repaired, <code>daybook import notification</code> takes them in.</p>\n<ul>\n"
    for name in refused.prefix(Self.shownMax) {
      html += "<li><span class=\"name\">service/refused/\(name)</span></li>\n"
    }
    if refused.count > Self.shownMax {
      html += "<li>and \((refused.count - Self.shownMax).counted("other"))</li>\n"
    }
    return html + "</ul>\n"
  }
}
