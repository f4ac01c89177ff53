import HTTPTypes
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import ServiceAccess

/// Everything that support asks first about one customer.
struct CustomerPage {
  /// How many events are shown at first, and at most.
  static let eventsUsual = 50
  static let eventsMax: UInt64 = 1_000

  let reference: CustomerReference
  let overview: CustomerOverview
  let transactions: [TransactionsAnswer.Entry]
  let moment: PageMoment
  let visitor: PageVisitor
  let now: Instant
  /// Where an act was recorded that was just done.
  var done: UInt64?

  private var answer: EntitlementsAnswer { overview.entitlements }
  private var account: Name? { overview.accounts.first }

  private var title: String {
    guard overview.accounts.isEmpty else {
      return overview.accounts.map(\.text).joined(separator: ", ")
    }
    return reference.words
  }

  private var isKnown: Bool {
    answer.isKnown || !answer.entries.isEmpty || !transactions.isEmpty
  }

  var page: Page {
    guard isKnown else { return unknown }
    var body: HTML = "<p class=\"eyebrow\">Customer</p><h1 class=\"name\">\(title)</h1>\n"
    body += doneNote + facts + contents + clocksForm + environmentHint
    body += .section("entitlements", "Entitlements", entitlements)
    body += .section("balances", "Balances", balances)
    body += .section("installed", "Devices and installed versions", devices)
    body += .section("ids", "Linked ids", ids)
    body += .section("open", "Open transactions", openTransactions)
    body += .section("findings", "Findings", FindingCards(findings: overview.findings).html)
    body += .section("timeline", "Timeline on both clocks", timeline)
    body += .section("transactions", "All transactions", allTransactions)
    return Page(
      title: "Customer \(title.prefix(60))", place: .search, body: body, position: answer.position)
  }

  private var unknown: Page {
    var body: HTML = "<h1>No event states \(reference.words)</h1>\n<section class=\"card\">"
    body += moment.isPast ? "<p>Not at this moment of the clocks. " : "<p>"
    body += "Search for a part of the id to find what was meant.</p>"
    if moment.isPast { body += "<p>\(HTML.link(.customer(reference), "Look at the present"))</p>" }
    return Page(
      title: "Unknown customer", place: .search, body: body + "</section>\n",
      position: answer.position, status: .notFound)
  }

  private func address(_ path: String, _ items: [(String, String?)] = []) -> PageAddress {
    moment.address(path, [PageAddress.item(reference)] + items)
  }

  // MARK: - Above everything

  private var doneNote: HTML {
    guard let done else { return "" }
    var html: HTML = "<p class=\"notice\" role=\"status\">Done: recorded as "
    html += "\(HTML.link(.event(done), "event \(done)")). "
    if done > 0 {
      let address = PageAddress(
        "/compare",
        [PageAddress.item(reference), ("from", "\(done - 1)"), ("to", "\(done)")])
      html += .link(address, "See what it changed")
    }
    return html + "</p>\n"
  }

  private var facts: HTML {
    let active = answer.active.map(\.text).joined(separator: ", ")
    var html: HTML = "<dl class=\"facts\"><div><dt>Has now</dt><dd>"
    html += active.isEmpty ? "nothing" : "\(active)"
    html += "</dd></div><div><dt>Next change</dt><dd>"
    html += answer.nextChangeAt.map { .time($0, from: answer.at) } ?? "none without a new event"
    html += "</dd></div><div><dt>On the queue</dt><dd>"
    html += "\(overview.openTransactions.count.counted("transaction"))</dd></div>"
    html += "<div><dt>Findings</dt><dd>\(overview.findings.count)</dd></div>"
    html += "<div><dt>Judged at</dt><dd>\(HTML.time(answer.at))</dd></div></dl>\n"
    return html
  }

  private var contents: HTML {
    var html: HTML = "<ul class=\"actions\">"
    if let account {
      html += "<li>\(HTML.link(address("/compare"), "Compare two moments"))</li>"
      if !visitor.isRestricted {
        let replay = PageAddress("/incident", [("account", account.text)])
        html += "<li>\(HTML.link(replay, "Replay all events"))</li>"
      }
      let live = PageAddress("/live", [("account", account.text)])
      html += "<li>\(HTML.link(live, "Watch live"))</li>"
      if visitor.token.allows(.operate) {
        let acts = PageAddress("/acts", [("account", account.text)])
        html += "<li>\(HTML.link(acts, "Grant, withdraw, link, note …"))</li>"
      }
    }
    return html + "</ul>\n"
  }

  private var clocksForm: HTML {
    var html: HTML = "<details class=\"card clocks\"\(openMark)><summary>"
    html += moment.isPast ? "Another moment is shown" : "Look at another moment"
    html += "</summary><form action=\"/customer\" method=\"get\" class=\"row\">"
    let item = PageAddress.item(reference)
    html += .hidden(item.0, item.1)
    html +=
      PageField(
        id: "at", name: "at", label: "Store time",
        value: moment.clocks.at.map(PageTime.field), type: "datetime-local",
        hint: "What was true then, in UTC", more: " step=\"1\""
      ).html
    html +=
      PageField(
        id: "asOf", name: "asOf", label: "Ledger time", value: asOfText,
        hint: "What the ledger knew: a position or a time"
      ).html
    html += .environments(moment.environments)
    html += "<p class=\"field\"><button>Show</button></p></form></details>\n"
    return html
  }

  private var openMark: HTML { moment.isPast ? " open" : "" }

  private var asOfText: String? {
    switch moment.clocks.asOf {
    case nil: nil
    case .position(let position): "\(position)"
    case .instant(let instant): instant.rfc3339
    }
  }

  /// Support looks at production, and a tester's purchases are somewhere else.
  private var environmentHint: HTML {
    let others = Set(overview.lastEvents.compactMap(\.event.environment))
      .subtracting(moment.environments).sorted()
    guard !others.isEmpty else { return "" }
    var html: HTML = "<p class=\"notice\">Some events are of another environment. Look at "
    html += others.map { other in
      let items = [PageAddress.item(reference), ("environment", other.text)]
      return HTML.link(PageAddress("/customer", items), other.text)
    }.joined(", ")
    return html + ".</p>\n"
  }

  // MARK: - What the customer has

  private var entitlements: HTML {
    var table = PageTable(
      "Entitlements",
      ["Product or entitlement", "State", "Since", "Until", "Opens", "From", "Why?"])
    for entry in answer.entries {
      let name = entry.product ?? entry.entitlement
      let opens = entry.entitlements.map(\.text).joined(separator: ", ")
      table.add([
        .name(name), .state(entry.state), .time(entry.since),
        entry.expiresAt.map { .time($0, from: answer.at) } ?? "<span class=\"soft\">no end</span>",
        opens.isEmpty ? .nothing : "\(opens)", "\(source(entry))",
        .link(
          address("/why", [("name", name?.text)]), "Why?",
          unseen: "\(name?.text ?? "") is \(entry.state.words)"),
      ])
    }
    var html = table.html(empty: "This customer has nothing, and had nothing.")
    guard account != nil else { return html }
    html += "<form class=\"row\" action=\"/why\" method=\"get\">"
    let item = PageAddress.item(reference)
    html += .hidden(item.0, item.1)
    for (name, value) in moment.items { html += .hidden(name, value) }
    html +=
      PageField(
        id: "why-name", name: "name", label: "Why has the customer this, or why not?",
        hint: "A product or an entitlement", isRequired: true
      ).html
    return html + "<p class=\"field\"><button>Why?</button></p></form>\n"
  }

  private func source(_ entry: EntitlementsAnswer.Entry) -> String {
    if entry.source == .operator { return "an operator" }
    let isUnverified = !overview.unverified.isDisjoint(with: entry.transactions)
    return "the store" + (entry.isFamilyShared == true ? ", family sharing" : "")
      + (isUnverified ? ", not verified" : "")
  }

  private var balances: HTML {
    var table = PageTable("Balances", ["Unit", "Amount"])
    for balance in answer.balances { table.add([.name(balance.unit), "\(balance.amount)"]) }
    return table.html(empty: "No balance.")
  }

  private var devices: HTML {
    var table = PageTable(
      "Devices and installed versions",
      ["Device", "Last seen", "App", "System", "Product", "Installed", "On offer"])
    for device in overview.devices {
      let own: [HTML] = [
        device.name.map { .name($0) } ?? "a device without a name",
        device.lastSeenAt.map { .time($0, from: now) } ?? .nothing,
        device.appVersion.map { "\($0)" } ?? .nothing,
        device.systemVersion.map { "\($0)" } ?? .nothing,
      ]
      if device.installed.isEmpty { table.add(own + [.nothing, .nothing, .nothing]) }
      for content in device.installed {
        var offer: HTML = content.available.map { "\($0)" } ?? .nothing
        if content.updateAvailable { offer += " <span class=\"badge warn\">newer</span>" }
        table.add(own + [.name(content.product), "\(content.contentVersion)", offer])
      }
    }
    return table.html(empty: "No device is known.")
  }

  private var ids: HTML {
    guard !overview.accounts.isEmpty else {
      return .note("No known account has this purchase. An assignment says whose it is.")
    }
    return "<ul>"
      + overview.accounts.map { "<li>\(HTML.link(.account($0), $0.text))</li>" }.joined()
      + "</ul>\n"
  }

  private var openTransactions: HTML {
    table(
      of: overview.openTransactions, "Open transactions",
      empty: "Nothing waits on the queue of a device.")
  }

  private var allTransactions: HTML {
    let html = table(of: transactions, "All transactions", empty: "No transaction is known.")
    guard transactions.count > 5 else { return html }
    return "<details><summary>\(transactions.count.counted("transaction"))</summary>" + html
      + "</details>\n"
  }

  private func table(
    of entries: [TransactionsAnswer.Entry], _ caption: String, empty: String
  ) -> HTML {
    var table = PageTable(
      caption, ["Transaction", "Product", "State", "On the queue", "Since", "Downloads"])
    for entry in entries {
      let downloads = entry.downloads.map { "\($0.download.text): \($0.progressText)" }
      let name: HTML =
        entry.transaction.map { .link(.customer(.transaction($0)), $0.text) }
        ?? entry.payment.map { "payment <span class=\"name\">\($0)</span>" } ?? .nothing
      table.add([
        name, .name(entry.product), "\(entry.stateText)", "\(entry.queueText)",
        (entry.reportedAt ?? entry.purchasedAt).map { .time($0) } ?? .nothing,
        downloads.isEmpty ? .nothing : "\(downloads.joined(separator: ", "))",
      ])
    }
    return table.html(empty: empty)
  }

  // MARK: - What happened

  private var timeline: HTML {
    let events = overview.lastEvents
    let table = EventTable(events, isOfOne: true)
    var html = ClocksDrawing(events).html
    if events.count < overview.eventCount {
      html += "<p>The newest \(events.count) of \(overview.eventCount) events, "
      html += "the newest first. "
      let more = min(UInt64(events.count) * 4, Self.eventsMax)
      if events.count < Int(Self.eventsMax) {
        html += .link(address("/customer", [("events", "\(more)")]).at("timeline"), "Show more")
      } else if let account {
        html += .link(
          PageAddress("/live", [("account", account.text)]), "Older ones are under Live events")
      }
      html += "</p>\n"
    } else if !events.isEmpty {
      html += .note("\(events.count.counted("event")), the newest first.")
    }
    return html + table.table(events.reversed(), "Timeline", empty: "No event until this moment.")
  }
}

extension HTML {
  /// The choice of an environment.
  static func environments(_ chosen: [StoreEnvironment]) -> HTML {
    .select(
      "environment", name: "environment", "Environment",
      StoreEnvironment.allCases.map { ($0.text, $0.text) }, chosen: chosen.first?.text)
  }
}
