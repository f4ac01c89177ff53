import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// Parts that several pages have.
extension HTML {
  static func link(_ address: PageAddress, _ text: String) -> HTML {
    "<a href=\"\(address)\">\(text)</a>"
  }

  /// A link that says more to those who do not see what is around it.
  static func link(_ address: PageAddress, _ text: String, unseen: String) -> HTML {
    "<a href=\"\(address)\">\(text)<span class=\"unseen\"> \(unseen)</span></a>"
  }

  /// A link to an event, by its position.
  static func position(_ position: UInt64) -> HTML {
    "<a class=\"position\" href=\"\(PageAddress.event(position))\">\(position)</a>"
  }

  /// A moment as people read it and as programs do.
  static func time(_ instant: Instant) -> HTML {
    "<time datetime=\"\(instant.rfc3339)\">\(PageTime.text(instant))</time>"
  }

  static func time(_ instant: Instant?, none: String) -> HTML {
    instant.map { time($0) } ?? "<span class=\"soft\">\(none)</span>"
  }

  /// A moment, and how far it is from another one.
  static func time(_ instant: Instant, from now: Instant) -> HTML {
    "\(time(instant)) <span class=\"soft\">\(PageTime.distance(of: instant, from: now))</span>"
  }

  static let nothing: HTML = "<span class=\"soft\" aria-label=\"none\">–</span>"

  static func name(_ name: Name?) -> HTML {
    name.map { "<span class=\"name\">\($0)</span>" } ?? nothing
  }

  static func state(_ state: EntitlementState) -> HTML {
    "<span class=\"state \(state.entitles ? "good" : "gone") is-\(state.text)\">"
      + "\(state.words)</span>"
  }

  static func severity(_ severity: Rule.Severity) -> HTML {
    "<span class=\"severity s\(severity.rawValue)\"><span class=\"shape\" aria-hidden=\"true\">"
      + "</span>\(severity.text)</span>"
  }

  /// A section under a heading. The heading names it, also for those who go from landmark to
  /// landmark.
  static func section(_ id: String, _ title: String, _ content: HTML) -> HTML {
    "<section id=\"\(id)\" class=\"card\" aria-labelledby=\"\(id)-title\">"
      + "<h2 id=\"\(id)-title\">\(title)</h2>\n" + content + "</section>\n"
  }

  /// How many characters of a text are read at a glance. The event itself has all of them.
  private static let glanceCountMax = 280

  /// The beginning of a text, which somebody may have made as long as an event can be.
  static func glance(_ text: String) -> HTML {
    let beginning = text.prefix(glanceCountMax)
    return beginning.endIndex == text.endIndex ? "\(text)" : "\(String(beginning))…"
  }

  static func note(_ text: String) -> HTML { "<p class=\"soft\">\(text)</p>\n" }

  /// A choice of words in a form.
  ///
  /// - Parameters:
  ///   - choices: The values and what is read of them.
  ///   - chosen: The value that is chosen.
  static func select(
    _ id: String, name: String, _ label: String, _ choices: [(value: String, text: String)],
    chosen: String?
  ) -> HTML {
    var html: HTML = "<p class=\"field\"><label for=\"\(id)\">\(label)</label>"
    html += "<select id=\"\(id)\" name=\"\(name)\">"
    for choice in choices {
      let mark: HTML = choice.value == chosen ? " selected" : ""
      html += "<option value=\"\(exact: choice.value)\"\(mark)>\(choice.text)</option>"
    }
    return html + "</select></p>\n"
  }

  static func hidden(_ name: String, _ value: String?) -> HTML {
    guard let value else { return "" }
    return "<input type=\"hidden\" name=\"\(name)\" value=\"\(exact: value)\">"
  }
}

/// A field of a form in which something is written.
struct PageField {
  let id: String
  let name: String
  let label: String
  var value: String?
  var type = "text"
  var hint: String?
  var isRequired = false
  /// Attributes for this kind of field.
  var more: HTML = ""

  var html: HTML {
    var html: HTML = "<p class=\"field\"><label for=\"\(id)\">\(label)"
    if isRequired { html += " <span class=\"soft\">(needed)</span>" }
    html += "</label><input id=\"\(id)\" name=\"\(name)\" type=\"\(type)\" autocomplete=\"off\""
    if type == "text" || type == "search" {
      html += " spellcheck=\"false\" autocapitalize=\"none\" dir=\"auto\""
    }
    if let value { html += " value=\"\(exact: value)\"" }
    if isRequired { html += " required" }
    if hint != nil { html += " aria-describedby=\"\(id)-hint\"" }
    html += more
    html += ">"
    if let hint { html += "<span class=\"hint\" id=\"\(id)-hint\">\(hint)</span>" }
    return html + "</p>\n"
  }
}

extension EntitlementState {
  /// The state as a person says it.
  var words: String {
    switch self {
    case .active: "active"
    case .gracePeriod: "grace period"
    case .billingRetry: "billing retry"
    case .pending: "pending"
    case .expired: "expired"
    case .refunded: "refunded"
    case .revoked: "revoked"
    }
  }
}

/// Times as the pages write them.
enum PageTime {
  /// `2026-05-11 10:00:00 UTC`. Fractions are in the attribute, and in the event itself.
  static func text(_ instant: Instant) -> String {
    field(instant).replacing("T", with: " ") + " UTC"
  }

  /// The value of a field for a date and a time, in UTC.
  static func field(_ instant: Instant) -> String {
    String(instant.rfc3339.prefix { $0 != "." && $0 != "Z" })
  }

  private static let steps: [(length: Int64, name: String)] = [
    (365 * Instant.day, "year"), (30 * Instant.day, "month"), (Instant.day, "day"),
    (Instant.hour, "hour"), (60 * Instant.second, "minute"), (Instant.second, "second"),
  ]

  /// A length in the largest unit that fits: `3 days`.
  static func length(_ microseconds: Int64) -> String {
    let length = microseconds.magnitude
    for step in steps where length >= step.length.magnitude {
      return (length / step.length.magnitude).counted(step.name)
    }
    return "less than a second"
  }

  /// `in 3 days` or `3 days ago`.
  static func distance(of instant: Instant, from now: Instant) -> String {
    let (distance, overflow) = instant.microseconds.subtractingReportingOverflow(now.microseconds)
    if overflow { return "" }
    return distance > 0 ? "(in \(length(distance)))" : "(\(length(distance)) ago)"
  }

  static let words = AnswerWords(balances: "the balances of the customer") { text($0) }
}
