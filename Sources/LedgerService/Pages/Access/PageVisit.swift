import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerQueries
import LedgerStore
import ServiceAccess

/// A request for a page, and who sends it.
struct PageVisit: Sendable {
  let request: Request
  let context: ServiceContext
  let visitor: PageVisitor
  let now = EventLog.systemClock()

  var token: AccessToken { visitor.token }

  /// The parameters of the query. A field of a form that was left empty is none.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  func items(_ known: [String]) throws(Problem) -> QueryItems {
    try Self.items(request.uri.query, known, now)
  }

  static func items(
    _ text: String?, _ known: [String], _ now: Instant
  ) throws(Problem) -> QueryItems {
    let filled = (text ?? "").split(separator: "&").filter { part in
      part.split(separator: "=", maxSplits: 1).count > 1 || !part.contains("=")
    }
    return try QueryItems(filled.joined(separator: "&"), known, now: now)
  }
}

/// Where support looks: the clocks and the environments of a page about a customer.
struct PageMoment: Sendable {
  static let parameters = ["at", "asOf", "environment"]

  let clocks: Clocks
  let environments: [StoreEnvironment]

  init(_ items: QueryItems) throws(Problem) {
    clocks = try items.clocks()
    environments = try items.environments()
  }

  /// What a query says of it.
  var items: [(String, String?)] {
    var items: [(String, String?)] = []
    if let at = clocks.at { items.append(("at", at.rfc3339)) }
    switch clocks.asOf {
    case nil: break
    case .position(let position): items.append(("asOf", "\(position)"))
    case .instant(let instant): items.append(("asOf", instant.rfc3339))
    }
    if environments != [.production] {
      items += environments.map { ("environment", $0.text) }
    }
    return items
  }

  /// An address about the same moment.
  func address(_ path: String, _ items: [(String, String?)]) -> PageAddress {
    PageAddress(path, items + self.items)
  }

  var isPast: Bool { clocks.at != nil || clocks.asOf != nil }
}
