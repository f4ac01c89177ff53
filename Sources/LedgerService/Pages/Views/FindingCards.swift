import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// Broken rules with what they mean and what to do, each rule once.
struct FindingCards {
  let findings: [FindingAnswer]

  var html: HTML {
    var order: [Rule] = []
    for finding in findings where !order.contains(finding.rule) { order.append(finding.rule) }
    order.sort { ($1.severity, $0.id) < ($0.severity, $1.id) }
    guard !order.isEmpty else { return .note("No rule is broken.") }
    return order.map { card($0) }.joined()
  }

  private func card(_ rule: Rule) -> HTML {
    let own = findings.filter { $0.rule == rule }
    var html: HTML = "<div class=\"finding s\(rule.severity.rawValue)\">"
    html += "<h3>\(HTML.severity(rule.severity)) <span class=\"name\">\(rule.id)</span></h3>"
    html += "<p>\(rule.explanation.meaning)</p>"
    html += "<p><strong>What to do:</strong> \(rule.explanation.advice)</p><ul>"
    for finding in own { html += "<li>\(Self.line(finding))</li>" }
    return html + "</ul></div>\n"
  }

  /// Where a rule was broken, and what is concerned.
  static func line(_ finding: FindingAnswer) -> HTML {
    var html: HTML = "at \(HTML.link(.event(finding.position), "event \(finding.position)")), "
    html += .time(finding.occurredAt)
    for (kind, name) in [
      ("product", finding.product), ("transaction", finding.transaction),
      ("download", finding.download), ("device", finding.device), ("", finding.detail),
    ] {
      if let name { html += ", \(kind) <span class=\"name\">\(name)</span>" }
    }
    if finding.environment != .production {
      html += " <span class=\"badge\">\(finding.environment.text)</span>"
    }
    return html
  }
}
