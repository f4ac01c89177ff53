import HTTPTypes
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import ServiceAccess

/// What a search finds: customers, and events by id and position.
struct SearchPage {
  struct Found: Sendable {
    var customers: [CustomerAnswer]
    /// The event with the id that was searched for.
    var event: RecordedEvent?
    /// The event at the position that was searched for.
    var atPosition: RecordedEvent?
    var position: UInt64
  }

  /// How many customers are shown.
  static let customersMax = 100

  let text: String

  /// Where a search leads that found one thing only.
  static func only(_ found: Found) -> PageAddress? {
    let events = [found.event, found.atPosition].compactMap { $0 }
    if let customer = found.customers.onlyOne, events.isEmpty {
      return .customer(customer.reference)
    }
    // A name that is only like it does not stand against an event that is meant exactly.
    let isExact = found.customers.contains { $0.matches.contains { $0.nearness == .exact } }
    return !isExact && events.count == 1 ? .event(events[0].position) : nil
  }

  func page(_ found: Found, now: Instant) -> Page {
    var body: HTML = "<h1>Search for <q class=\"name\">\(text)</q></h1>\n"
    let events = [found.event, found.atPosition].compactMap { $0 }
    if !events.isEmpty {
      body += .section(
        "events", "Events", EventTable(events, isOfOne: false).table(events, "Events", empty: ""))
    }
    if !found.customers.isEmpty {
      body += .section("customers", "Customers", customers(found.customers, now))
    }
    let isNothing = events.isEmpty && found.customers.isEmpty
    if isNothing { body += Self.nothing(text) }
    return Page(
      title: "Search for \(text.prefix(60))", place: .search, body: body,
      position: found.position, status: isNothing ? .notFound : .ok, searched: text)
  }

  private func customers(_ customers: [CustomerAnswer], _ now: Instant) -> HTML {
    var table = PageTable(
      "Customers", ["Customer", "Found by", "Has now", "On the queue", "Newest event"])
    for customer in customers.prefix(Self.customersMax) {
      let active = customer.active.map(\.text).joined(separator: ", ")
      table.add([
        .link(.customer(customer.reference), customer.title),
        "\(customer.matches.map(\.description).joined(separator: ", "))",
        active.isEmpty ? .nothing : "\(active)", "\(customer.openTransactions)",
        customer.newestEventAt.map { .time($0, from: now) } ?? .nothing,
      ])
    }
    let html = table.html(empty: "")
    guard customers.count > Self.customersMax else { return html }
    return html
      + .note(
        "These are the first \(Self.customersMax) of \(customers.count): search for more of a name."
      )
  }

  private static func nothing(_ text: String) -> HTML {
    var html: HTML = "<section class=\"card\"><p>Nothing in the ledger has this id, and no id "
    html += "contains it.</p><ul>"
    html += "<li>Copy the id once more: a letter or a digit may be missing.</li>"
    html += "<li>An order is found by its whole number, such as MLX1234567.</li>"
    html += "<li>A part of an id needs \(CustomerMatch.partLettersMin) letters.</li>"
    html += "<li>What is still on a device has not reached the ledger.</li></ul></section>\n"
    return html
  }

  /// The first page.
  static func start(_ visitor: PageVisitor) -> Page {
    var body: HTML = "<h1>Whom is it about?</h1>\n<section class=\"card\">"
    body += "<form class=\"big\" action=\"/search\" method=\"get\">"
    body +=
      "<p class=\"field\"><label for=\"q\">Any id of a customer, a purchase or an event</label>"
    body += "<input id=\"q\" name=\"q\" type=\"search\" required autocomplete=\"off\" "
    body += "spellcheck=\"false\" autocapitalize=\"none\" dir=\"auto\" "
    body += "aria-describedby=\"q-hint\" data-first>"
    body += "<span class=\"hint\" id=\"q-hint\">An account, a transaction, an order, a payment, "
    body += "a device, the id of an event or its position. A part of an id is enough.</span></p>"
    body += "<p><button class=\"main\">Search</button></p></form></section>\n"
    if let account = visitor.token.account {
      body += "<p>This token is for one account: "
      body += "\(HTML.link(.account(account), account.text)).</p>\n"
      return Page(title: "Search", place: .search, body: body)
    }
    let places = Page.Place.allCases.filter { $0 != .search && visitor.mayGo($0) }
    body += "<ul class=\"places\">"
    for place in places {
      body += "<li><a href=\"\(place.path)\">\(place.title)</a> "
      body += "<span class=\"soft\">\(place.purpose)</span></li>"
    }
    return Page(title: "Search", place: .search, body: body + "</ul>\n")
  }
}

extension Page.Place {
  /// What somebody goes there for.
  var purpose: String {
    switch self {
    case .search: "Find a customer, a purchase or an event."
    case .deliveries: "What other servers were told, what waits, and what no receiver has taken."
    case .findings: "What went wrong, by release of the app, with what to do about it."
    case .live: "What is happening now, and what has happened, by filters."
    case .compare: "What changed between two moments of either clock."
    case .acts: "Grant, withdraw, link, transfer, assign and note, with the effect shown first."
    case .status: "Whether the service and its ledger are well."
    }
  }
}
