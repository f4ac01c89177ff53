import LedgerEvents
import LedgerQueries
import ServiceAccess

/// The newest events that filters select, and those that come.
struct LivePage {
  /// How many events are shown.
  static let eventsMax = 50

  /// The filters, with what each is called.
  static let filters: [(name: String, label: String)] = [
    ("account", "Account"), ("type", "Type"), ("product", "Product"),
    ("transaction", "Transaction"), ("device", "Device"), ("app", "App"), ("source", "Source"),
    ("environment", "Environment"),
  ]
  static let parameters = QuestionRoute.eventFilter

  let items: QueryItems
  let query: EventsQuery

  /// The filters of a request. A token for one account sees that one, and one for a single app that
  /// app, without naming it.
  init(_ items: QueryItems, _ token: AccessToken) throws(Problem) {
    self.items = items
    var query = try EventQuestions.query(items)
    query.clocks = try items.clocks()
    if query.account == nil { query.account = token.account }
    if query.app == nil, token.apps.count == 1 { query.app = Name(token.apps[0]) }
    query.knownApps = token.knownApps
    self.query = query
  }

  struct Found: Sendable {
    /// The newest first.
    var events: [RecordedEvent]
    var hasMore: Bool
    var position: UInt64
  }

  /// The newest events of the filters.
  func found(_ view: LedgerView) throws(LedgerError) -> Found {
    var query = query
    query.isReverse = true
    var events: [RecordedEvent] = []
    try view.events(query) { recorded in
      events.append(recorded)
      return events.count <= Self.eventsMax
    }
    let hasMore = events.count > Self.eventsMax
    if hasMore { events.removeLast() }
    return Found(events: events, hasMore: hasMore, position: view.position)
  }

  /// The filters as items of an address.
  private var chosen: [(String, String?)] {
    Self.parameters.flatMap { name in items.texts(name).map { (name, $0) } }
  }

  /// Whether nothing ends the events that are asked for.
  private var isOpenEnded: Bool {
    !["to", "until", "at", "asOf"].contains { !items.texts($0).isEmpty }
  }

  func page(_ found: Found) -> Page {
    var body: HTML = "<h1>Live events</h1>\n"
    body += .section("filters", "Filters", form)
    let here = PageAddress("/live", chosen)
    var list: HTML = "<div class=\"live\""
    if isOpenEnded {
      let stream = PageAddress(
        "/live/stream", chosen.filter { $0.0 != "from" } + [("from", "\(found.position + 1)")])
      list += " data-stream=\"\(stream)\""
    }
    list += "><p class=\"actions\"><span id=\"live-state\" role=\"status\">The newest events as of "
    list += "position \(found.position).</span> "
    list +=
      "<button id=\"live-pause\" type=\"button\" hidden aria-pressed=\"false\">Pause</button> "
    list += "<a id=\"live-refresh\" href=\"\(here)\">Refresh</a></p>\n"
    let table = EventTable(found.events, isOfOne: false)
    var rows = PageTable("Events, the newest first", table.columns)
    rows.id = "live-events"
    for recorded in found.events { rows.add(row: table.row(recorded)) }
    list += rows.html(empty: "")
    list += "</div>\n"
    if found.events.isEmpty { list += .note("No event matches yet.") }
    if found.hasMore, let last = found.events.last, last.position > 1 {
      let items = chosen.filter { $0.0 != "to" } + [("to", "\(last.position - 1)")]
      list += "<p>\(HTML.link(PageAddress("/live", items), "Older events →"))</p>\n"
    }
    body += .section("events", "Events", list)
    return Page(title: "Live events", place: .live, body: body, position: found.position)
  }

  private var form: HTML {
    var html: HTML = "<form class=\"row\" action=\"/live\" method=\"get\">"
    for filter in Self.filters {
      let value = items.texts(filter.name).first
      if filter.name == "environment" {
        let all = StoreEnvironment.allCases.map { (value: $0.text, text: $0.text) }
        html += .select(
          "environment", name: "environment", filter.label, [("", "every")] + all, chosen: value)
      } else {
        html +=
          PageField(
            id: filter.name, name: filter.name, label: filter.label, value: value,
            hint: filter.name == "type" ? "transaction.purchased, or download.*" : nil
          ).html
      }
    }
    html +=
      PageField(
        id: "since", name: "since", label: "Since (store time)",
        value: items.texts("since").first, hint: "2026-05-11, or 7d"
      ).html
    return html
      + "<p class=\"field\"><button>Filter</button> <a href=\"/live\">All</a></p></form>\n"
  }

  /// An event as a row, in the form of a stream of server-sent events.
  static let streamed: @Sendable (RecordedEvent) -> String = { recorded in
    let row = EventTable([], isOfOne: false).row(recorded).markup
    let lines = row.split(separator: "\n", omittingEmptySubsequences: false)
    return "id: \(recorded.position)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
  }
}
