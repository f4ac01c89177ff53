import HTTPTypes
import Hummingbird
import NIOCore

/// A page before it has its frame.
struct Page: Sendable {
  /// What the navigation leads to.
  enum Place: CaseIterable, Sendable {
    case search, findings, live, compare, acts, deliveries, status

    var path: String {
      switch self {
      case .search: "/"
      case .findings: "/findings"
      case .live: "/live"
      case .compare: "/compare"
      case .acts: "/acts"
      case .deliveries: DeliveriesPage.path
      case .status: "/status"
      }
    }

    var title: String {
      switch self {
      case .search: "Search"
      case .findings: "Findings"
      case .live: "Live events"
      case .compare: "Compare"
      case .acts: "Acts"
      case .deliveries: "Deliveries"
      case .status: "Health"
      }
    }
  }

  var title: String
  var place: Place?
  var body: HTML
  /// The last position that the page knows.
  var position: UInt64?
  var status = HTTPResponse.Status.ok
  /// What was searched for, to be changed.
  var searched: String?
}

/// What a page is answered with.
enum PageAnswer: Sendable {
  case page(Page)
  /// Another page, which is asked for by GET.
  case elsewhere(PageAddress)
  /// A document with a policy of its own.
  case document(String, policy: String)
  case stream(Response)
}

/// Puts the frame around a page: who is signed in, where one can go, and how to search.
struct PageFrame {
  let door: PageDoor
  /// nil for pages that nobody has to sign in for.
  let visitor: PageVisitor?

  private var places: [Page.Place] {
    guard let visitor else { return [] }
    return Page.Place.allCases.filter(visitor.mayGo)
  }

  func html(_ page: Page) -> HTML {
    var html: HTML = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    html += "<meta name=\"color-scheme\" content=\"light dark\">\n"
    html += "<title>\(page.title) – Daybook</title>\n"
    html += "<link rel=\"stylesheet\" href=\"\(PageFile.style.path)\">\n"
    html += "<link rel=\"icon\" type=\"image/svg+xml\" href=\"\(PageFile.icon.path)\">\n"
    html += "<script src=\"\(PageFile.script.path)\" defer></script>\n</head>\n<body>\n"
    html += "<a class=\"skip\" href=\"#content\">To the content</a>\n"
    html += header(page)
    html += "<main id=\"content\" tabindex=\"-1\">\n" + page.body + "</main>\n"
    html += footer(page)
    return html + "</body>\n</html>\n"
  }

  private func header(_ page: Page) -> HTML {
    var html: HTML = "<header class=\"top\">\n"
    html += "<p class=\"brand\"><a href=\"/\">Daybook</a></p>\n"
    guard let visitor else { return html + "</header>\n" }
    html += "<form class=\"search\" role=\"search\" action=\"/search\" method=\"get\">"
    html += "<label for=\"search\" class=\"unseen\">Search for anything</label>"
    html += "<input id=\"search\" name=\"q\" type=\"search\" required autocomplete=\"off\" "
    html += "spellcheck=\"false\" autocapitalize=\"none\" dir=\"auto\" "
    html += "title=\"An account, a transaction, an order, an event or a position (/)\""
    if let searched = page.searched { html += " value=\"\(exact: searched)\"" }
    html += "><button>Search</button></form>\n"
    html += "<nav aria-label=\"Main\"><ul>\n"
    for place in places {
      let mark: HTML = place == page.place ? " aria-current=\"page\"" : ""
      html += "<li><a href=\"\(place.path)\"\(mark)>\(place.title)</a></li>\n"
    }
    html += "</ul></nav>\n"
    if visitor.isSignedIn {
      html += "<form class=\"who\" action=\"/sign-out\" method=\"post\">"
      html += .hidden(PageDoor.formField, visitor.formToken)
      html += "<span>\(visitor.title)</span> <button>Sign out</button></form>\n"
    }
    return html + "</header>\n"
  }

  private func footer(_ page: Page) -> HTML {
    var html: HTML = "<footer><p>"
    if let position = page.position { html += "As of position \(position). " }
    html += "All times are UTC."
    if let visitor, !visitor.isSignedIn {
      html += " This service is open: everybody on this machine sees and does everything."
    }
    return html + "</p></footer>\n"
  }

  func response(_ page: Page) -> Response {
    Response(
      status: page.status, headers: door.headers(policy: PageDoor.policy),
      body: ResponseBody(byteBuffer: ByteBuffer(string: html(page).markup)))
  }
}
