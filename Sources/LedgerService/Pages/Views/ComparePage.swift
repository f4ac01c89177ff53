import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// What differs between two moments, each on both clocks.
struct ComparePage {
  static let parameters = ["account", "from", "to", "fromAt", "toAt", "environment"]
  /// How many customers are listed.
  static let customersMax = 100
  /// How many of a customer's events the sliders stop at.
  static let marksMax = 2_000

  /// One moment on both clocks.
  struct Side: Sendable {
    /// The last position that is known.
    var position: UInt64
    /// The store time at which it is judged; nil for the time of that position.
    var at: Instant?

    var clocks: Clocks { Clocks(at: at, asOf: .position(position)) }
  }

  /// What a request asks for.
  struct Asked: Sendable {
    let account: Name?
    let from: Clocks.LedgerTime?
    let to: Clocks.LedgerTime?
    let fromAt: Instant?
    let toAt: Instant?
    let environments: [StoreEnvironment]

    init(_ items: QueryItems) throws(Problem) {
      account = try items.name("account")
      from = try items.ledgerTime("from")
      to = try items.ledgerTime("to")
      fromAt = try items.instant("fromAt")
      toAt = try items.instant("toAt")
      environments = try items.environments()
    }

    /// Whether there is anything to compare yet.
    var isWhole: Bool { account != nil || from != nil || fromAt != nil || toAt != nil }

    /// The customer's newest events, in order; none if nobody is asked about.
    fileprivate func marks(_ view: LedgerView, _ countMax: Int) throws(LedgerError)
      -> [RecordedEvent]
    {
      guard let account else { return [] }
      var marks: [RecordedEvent] = []
      var query = EventsQuery()
      query.account = account
      query.isReverse = true
      try view.events(query) { recorded in
        marks.append(recorded)
        return marks.count < countMax
      }
      return marks.reversed()
    }

    /// Both moments. Without a beginning, what the newest event changed.
    ///
    /// - Throws: `LedgerError`: `notFound` if the ledger does not reach one of them.
    func sides(_ view: LedgerView) throws(LedgerError) -> (before: Side, after: Side) {
      let last = view.position
      let before: UInt64
      if let from {
        before = try view.position(from)
      } else {
        before = try marks(view, 1).last.map { $0.position - 1 } ?? last
      }
      let after = if let to { try view.position(to) } else { last }
      for side in [before, after] where side > last {
        throw LedgerError(.notFound, "There is no position \(side): the last one is \(last).")
      }
      return (Side(position: before, at: fromAt), Side(position: after, at: toAt))
    }
  }

  struct Found: Sendable {
    var before: Side
    var after: Side
    var differences: [CustomerDifference] = []
    /// What the customer has on each side, if one customer is asked about.
    var answers: (before: EntitlementsAnswer, after: EntitlementsAnswer)?
    /// The events at which something can have changed for the customer.
    var marks: [RecordedEvent] = []
    var position: UInt64
  }

  let asked: Asked

  /// Finds what differs.
  ///
  /// - Throws: `LedgerError`, `notFound` for a beginning after the end.
  static func found(
    _ asked: Asked, _ view: LedgerView
  ) throws(LedgerError) -> Found {
    let (before, after) = try asked.sides(view)
    var found = Found(
      before: before, after: after, marks: try asked.marks(view, marksMax), position: view.position)
    guard asked.isWhole else { return found }
    try view.differences(
      from: found.before.clocks, to: found.after.clocks, account: asked.account,
      environments: asked.environments
    ) { difference in
      found.differences.append(difference)
      return found.differences.count <= Self.customersMax
    }
    if let account = asked.account {
      found.answers = (
        try answer(account, asked, found.before, view),
        try answer(account, asked, found.after, view)
      )
    }
    return found
  }

  /// What the customer has on a side, judged as the difference judges it: without a store time, at
  /// the time of the position.
  private static func answer(
    _ account: Name, _ asked: Asked, _ side: Side, _ view: LedgerView
  ) throws(LedgerError) -> EntitlementsAnswer {
    let moment =
      side.position == 0
      ? Instant(microseconds: 0) : try view.event(at: side.position).recordedAt
    return try view.entitlements(
      of: .account(account), environments: asked.environments, clocks: side.clocks, now: moment)
  }

  func page(_ found: Found) -> Page {
    var body: HTML = "<h1>Compare two moments</h1>\n"
    if let account = asked.account {
      body += "<p class=\"lead\">Customer \(HTML.link(.account(account), account.text))</p>\n"
    } else {
      body +=
        "<p class=\"lead\">Of all customers, or of one. What was true at a store time, as far "
      body += "as the ledger knew at a position.</p>\n"
    }
    body += .section("moments", "The two moments", form(found))
    if asked.isWhole {
      body += .section("difference", "What differs", differences(found))
      if let answers = found.answers {
        var sides: HTML = "<div class=\"sides\">"
        sides += side("before", "First moment", answers.before)
        sides += side("after", "Second moment", answers.after)
        body += .section("sides", "What the customer has", sides + "</div>\n")
      }
    }
    return Page(title: "Compare", place: .compare, body: body, position: found.position)
  }

  // MARK: - The moments

  private func form(_ found: Found) -> HTML {
    var html: HTML = "<form class=\"compare\" action=\"/compare\" method=\"get\">\n"
    html += "<div class=\"row\">"
    html +=
      PageField(
        id: "account", name: "account", label: "Account", value: asked.account?.text,
        hint: "Nothing for all customers"
      ).html
    html += .environments(asked.environments) + "</div>\n"
    html += moment("from", "First moment", found.before, found)
    html += moment("to", "Second moment", found.after, found)
    html += "<p><button class=\"main\">Compare</button></p></form>\n"
    html += steps(found)
    guard !found.marks.isEmpty else { return html }
    // What the sliders stop at; without scripts there are none.
    html += "<datalist id=\"marks\">"
    for mark in found.marks {
      html += "<option value=\"\(mark.position)\" data-time=\"\(mark.event.occurredAt.rfc3339)\" "
      html += "label=\"\(mark.event.plainWords)\"></option>"
    }
    return html + "</datalist>\n"
  }

  private func moment(_ name: String, _ title: String, _ side: Side, _ found: Found) -> HTML {
    let first = found.marks.first.map { $0.position - 1 } ?? 0
    var html: HTML = "<fieldset class=\"moment\" data-first=\"\(first)\" "
    html += "data-last=\"\(found.position)\"><legend>\(title)</legend>\n"
    html +=
      PageField(
        id: name, name: name, label: "Ledger time: what was known", value: "\(side.position)",
        hint: "A position from 0 to \(found.position), or a time"
      ).html
    html +=
      PageField(
        id: "\(name)At", name: "\(name)At", label: "Store time: what was true",
        value: side.at.map(PageTime.field), type: "datetime-local",
        hint: "In UTC; empty for the time of the position", more: " step=\"1\""
      ).html
    return html + "</fieldset>\n"
  }

  /// From one event of the customer to the next, without a slider.
  private func steps(_ found: Found) -> HTML {
    guard let account = asked.account, !found.marks.isEmpty else { return "" }
    func address(_ position: UInt64) -> PageAddress {
      var address = PageAddress(
        "/compare",
        [("account", account.text), ("from", "\(position - 1)"), ("to", "\(position)")])
      if asked.environments != [.production] {
        for environment in asked.environments { address.add("environment", environment.text) }
      }
      return address
    }
    let now = found.after.position
    let before = found.marks.last { $0.position < now }
    let after = found.marks.first { $0.position > now }
    var html: HTML = "<ul class=\"actions\">"
    if let before {
      html +=
        "<li>\(HTML.link(address(before.position), "← What event \(before.position) changed"))</li>"
    }
    if let this = found.marks.last(where: { $0.position <= now }) {
      html += "<li>\(HTML.link(address(this.position), "What event \(this.position) changed"))</li>"
    }
    if let after {
      html +=
        "<li>\(HTML.link(address(after.position), "What event \(after.position) changed →"))</li>"
    }
    return html + "</ul>\n"
  }

  // MARK: - What differs

  private func differences(_ found: Found) -> HTML {
    guard !found.differences.isEmpty else {
      return .note("Nothing: both moments have the same entitlements, balances and content.")
    }
    var html = DifferenceTables(
      differences: Array(found.differences.prefix(Self.customersMax)),
      isOfOne: asked.account != nil
    ).html
    if found.differences.count > Self.customersMax {
      html += .note(
        "These are the first \(Self.customersMax) customers. `daybook diff` lists all of them.")
    }
    return html
  }

  private func side(_ id: String, _ title: String, _ answer: EntitlementsAnswer) -> HTML {
    var html: HTML = "<div><h3 id=\"side-\(id)\">\(title)</h3><p class=\"soft\">"
    html += "Position \(answer.position), judged at \(HTML.time(answer.at))</p>"
    if answer.entries.isEmpty, answer.balances.isEmpty { return html + "<p>Nothing.</p></div>" }
    html += "<ul>"
    for entry in answer.entries {
      html += "<li>\(HTML.name(entry.product ?? entry.entitlement)) \(HTML.state(entry.state))"
      if let end = entry.expiresAt {
        html += " <span class=\"soft\">\(PageTime.words.end(of: entry.state, end))</span>"
      }
      html += "</li>"
    }
    for balance in answer.balances {
      html += "<li><span class=\"name\">\(balance.unit)</span>: \(balance.amount)</li>"
    }
    return html + "</ul></div>"
  }
}

/// What changed for customers, before and after.
struct DifferenceTables {
  let differences: [CustomerDifference]
  /// Whether everything is about one customer, whose name stands above.
  let isOfOne: Bool

  var html: HTML {
    var html = HTML()
    for difference in differences { html += table(difference) }
    return html
  }

  private func table(_ difference: CustomerDifference) -> HTML {
    let environment = difference.environment
    var table = PageTable(
      "What changes for \(difference.account.text)", ["What", "Before", "After"])
    for entry in difference.answer?.entries ?? [] {
      let texts = PageTime.words.texts(entry.before, entry.after)
      let known = entry.after ?? entry.before
      table.add([
        .name(known?.product ?? known?.entitlement), "\(texts.before)", "\(texts.after)",
      ])
    }
    for balance in difference.answer?.balances ?? [] {
      table.add(["balance of \(HTML.name(balance.unit))", "\(balance.before)", "\(balance.after)"])
    }
    for content in difference.installed {
      let device = content.device.map { " on \($0.text)" } ?? ""
      table.add([
        "\(content.product.text) installed\(device)",
        content.before.map { "\($0)" } ?? .nothing, content.after.map { "\($0)" } ?? .nothing,
      ])
    }
    var html = HTML()
    if !isOfOne || environment != .production {
      html += "<h3>\(HTML.link(.account(difference.account), difference.account.text))"
      if environment != .production {
        html += " <span class=\"badge\">\(environment.text)</span>"
      }
      html += "</h3>"
    }
    html += line("Gains", difference.answer?.gained ?? [])
    html += line("Loses", difference.answer?.lost ?? [])
    return html + table.html(empty: "")
  }

  private func line(_ title: String, _ names: [Name]) -> HTML {
    guard !names.isEmpty else { return "" }
    return "<p><strong>\(title):</strong> \(names.map { HTML.name($0) }.joined(", "))</p>"
  }
}
