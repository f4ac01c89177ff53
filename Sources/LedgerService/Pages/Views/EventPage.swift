import Audit
import LedgerEvents
import LedgerQueries

/// One event: what it says, on both clocks, and as the ledger has it.
struct EventPage {
  let recorded: RecordedEvent
  /// The last position of the ledger.
  let last: UInt64

  private var event: Event { recorded.event }

  var page: Page {
    let position = recorded.position
    var body: HTML = "<p class=\"eyebrow\">Event \(position) of \(last)</p>"
    body += "<h1>\(HTML.glance(event.plainWords))</h1>\n"
    body += "<nav aria-label=\"Events\" class=\"actions\"><ul class=\"actions\">"
    if position > 1 {
      body +=
        "<li><a rel=\"prev\" href=\"\(PageAddress.event(position - 1))\">← Event before</a></li>"
    }
    if position < last {
      body +=
        "<li><a rel=\"next\" href=\"\(PageAddress.event(position + 1))\">Event after →</a></li>"
    }
    body += "</ul></nav>\n"
    body += .section("fields", "What it states", fields)
    let line = String(decoding: EventEncoder().encode(recorded), as: UTF8.self)
    body += .section("raw", "Raw event", "<pre tabindex=\"0\">\(line)</pre>\n")
    return Page(title: "Event \(position)", place: .live, body: body, position: last)
  }

  private var fields: HTML {
    var html: HTML = "<dl class=\"pairs\">"
    func add(_ name: String, _ value: HTML?) {
      if let value { html += "<dt>\(name)</dt><dd>\(value)</dd>" }
    }
    add("Type", "<span class=\"name\">\(event.type.text)</span>")
    add("Happened (store time)", .time(event.occurredAt))
    add("Recorded (ledger time)", .time(recorded.recordedAt))
    let delay = recorded.recordedAt.microseconds.subtractingReportingOverflow(
      event.occurredAt.microseconds
    ).partialValue
    if delay < 0 {
      add("Clock", "ahead of the ledger's by \(PageTime.length(delay))")
    } else {
      add("Arrived", "\(PageTime.length(delay)) after it happened")
    }
    add("Said by", "\((event.source ?? EventSource(.app)).text)")
    add("Environment", event.environment.map { "\($0.text)" })
    add("Account", event.account.map { .link(.account($0), $0.text) })
    add("Transaction", event.transaction.map { .link(.customer(.transaction($0)), $0.text) })
    add(
      "Original transaction",
      event.originalTransaction.map { .link(.customer(.original($0)), $0.text) })
    for (name, value) in [
      ("Product", event.product), ("Payment", event.payment), ("Download", event.download),
      ("Device", event.device), ("Session", event.session), ("App", event.app), ("Id", event.id),
    ] {
      add(name, value.map { .name($0) })
    }
    for member in event.data.members {
      let json = String(decoding: member.json, as: UTF8.self)
      add(member.name, "<span class=\"name\">\(event.data.string(member.name) ?? json)</span>")
    }
    return html + "</dl>\n"
  }
}
