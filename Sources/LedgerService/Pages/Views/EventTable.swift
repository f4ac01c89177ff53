import Audit
import LedgerEvents
import LedgerModel
import LedgerQueries

/// Events as rows, the same on every page and in the stream of new ones.
struct EventTable {
  static let columns = [
    "Position", "Happened (store time)", "Recorded (ledger time)", "What happened", "Whose", "Raw",
  ]
  /// The columns where all events are one customer's.
  static let ownColumns = columns.filter { $0 != "Whose" }

  private let lateness: [UInt64: Lateness]
  private let isOfOne: Bool

  /// - Parameters:
  ///   - events: The events that are shown.
  ///   - isOfOne: Whether they are one customer's, and all that happened after the earliest of
  ///     them. Then those are marked that arrived late.
  init(_ events: [RecordedEvent], isOfOne: Bool) {
    lateness = isOfOne ? Lateness.of(events) : [:]
    self.isOfOne = isOfOne
  }

  var columns: [String] { isOfOne ? Self.ownColumns : Self.columns }

  func row(_ recorded: RecordedEvent) -> HTML {
    let late = lateness[recorded.position]
    return PageTable.row(
      cells(recorded, late), columns, marked: late == nil ? nil : "late")
  }

  func table(_ events: [RecordedEvent], _ caption: String, empty: String) -> HTML {
    var table = PageTable(caption, columns)
    for recorded in events {
      let late = lateness[recorded.position]
      table.add(cells(recorded, late), marked: late == nil ? nil : "late")
    }
    return table.html(empty: empty)
  }

  private func cells(_ recorded: RecordedEvent, _ late: Lateness?) -> [HTML] {
    let event = recorded.event
    var recordedAt: HTML = .time(recorded.recordedAt)
    if let late { recordedAt += " <span class=\"badge warn\">\(late.words)</span>" }
    var what: HTML = "<span class=\"what\">\(HTML.glance(event.plainWords))</span> "
    what += "<span class=\"soft name\">\(event.type.text)</span>"
    if let environment = event.environment, environment != .production {
      what += " <span class=\"badge\">\(environment.text)</span>"
    }
    let own: [HTML] = [
      .position(recorded.position), .time(event.occurredAt), recordedAt, what,
    ]
    return own + (isOfOne ? [] : [Self.whose(event)]) + [Self.raw(recorded)]
  }

  /// Links to whom an event names.
  static func whose(_ event: Event) -> HTML {
    if let account = event.account { return .link(.account(account), account.text) }
    if let transaction = event.transaction {
      return .link(.customer(.transaction(transaction)), "transaction \(transaction.text)")
    }
    return .nothing
  }

  /// The event as the ledger has it, one click away.
  static func raw(_ recorded: RecordedEvent) -> HTML {
    let line = String(decoding: EventEncoder().encode(recorded), as: UTF8.self)
    return "<details><summary>Raw<span class=\"unseen\"> event \(recorded.position)</span>"
      + "</summary><pre tabindex=\"0\">\(line)</pre></details>"
  }
}

/// How late an event reached the ledger: after events that happened later.
struct Lateness {
  /// How many events of the customer were known that happened after it.
  var overtakenBy: Int
  /// How long after it happened it was recorded, in microseconds.
  var delay: Int64

  var words: String {
    "late by \(PageTime.length(delay)): \(overtakenBy.counted("later event")) "
      + (overtakenBy == 1 ? "was known" : "were known")
  }

  /// The events that arrived after later ones, by their positions.
  ///
  /// - Complexity: O(*n* ²) in the events, of which a page has at most a thousand.
  static func of(_ events: [RecordedEvent]) -> [UInt64: Lateness] {
    var found: [UInt64: Lateness] = [:]
    let times = events.map { $0.event.occurredAt.believed(recordedAt: $0.recordedAt) }
    for (index, event) in events.enumerated() {
      let later = events.indices.count { other in
        events[other].position < event.position && times[other] > times[index]
      }
      guard later > 0 else { continue }
      let delay = event.recordedAt.microseconds - times[index].microseconds
      found[event.position] = Lateness(overtakenBy: later, delay: delay)
    }
    return found
  }
}

/// The order in which events happened above the order in which they were recorded: the line of one
/// that arrived late goes back.
struct ClocksDrawing {
  /// How many events are drawn, the newest by store time.
  static let eventsMax = 60

  private static let step = 20
  private static let left = 96

  private let events: [RecordedEvent]

  /// - Parameter events: In the order in which they happened.
  init(_ events: [RecordedEvent]) { self.events = Array(events.suffix(Self.eventsMax)) }

  var html: HTML {
    guard events.count > 1 else { return "" }
    let late = Lateness.of(events)
    var rank: [UInt64: Int] = [:]
    for (index, event) in events.sorted(by: { $0.position < $1.position }).enumerated() {
      rank[event.position] = index
    }
    let width = Self.left + Self.step * events.count
    let label =
      "\(events.count.counted("event")): above in the order in which they happened, below in the "
      + "order in which they were recorded; \(late.count) arrived late"
    var html: HTML = "<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\">"
    html += "<svg viewBox=\"0 0 \(width) 92\" width=\"\(width)\" height=\"92\" role=\"img\" "
    html += "aria-label=\"\(label)\">"
    html += "<text x=\"0\" y=\"22\">happened</text><text x=\"0\" y=\"80\">recorded</text>"
    for (index, event) in events.enumerated() {
      let from = Self.left + Self.step * index
      let to = Self.left + Self.step * (rank[event.position] ?? index)
      let mark: HTML = late[event.position] == nil ? "" : " class=\"late\""
      html += "<g\(mark)><path d=\"M\(from) 18L\(to) 76\"/>"
      html +=
        "<circle cx=\"\(from)\" cy=\"18\" r=\"5\"/><circle cx=\"\(to)\" cy=\"76\" r=\"5\"/></g>"
    }
    return html + "</svg></div>\n"
  }
}
