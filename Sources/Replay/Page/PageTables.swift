internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries

/// The findings and the events of a replay as HTML tables, for readers without scripts.
struct PageTables {
  private let history: ReplayHistory

  /// The maximum number of changes of an event that are listed; the others are counted.
  private static let changesMax = 12

  init(_ history: ReplayHistory) { self.history = history }

  /// Both tables.
  ///
  /// - Complexity: O(*n*) in the size of the steps.
  var html: String {
    let standing = history.pageFindings.filter { $0.settled == nil }.map(\.finding)
    var rules: [UInt64: [String]] = [:]
    for finding in standing { rules[finding.position, default: []].append(finding.rule.id) }
    var html = table(
      "Findings", ["Event", "Severity", "Rule", "Concerns", "Meaning"],
      standing.map { cells(of: $0) })
    html += table(
      "Events",
      [
        "Event", "Time (UTC)", "Type", "Product", "Transaction", "Download", "Account", "Device",
        "Changes", "Findings",
      ],
      history.steps.map { cells(of: $0, rules[$0.event.position] ?? []) })
    return html
  }

  private func cells(of finding: FindingAnswer) -> [String] {
    var concerns: [String] = []
    for (kind, name) in [
      ("product", finding.product), ("transaction", finding.transaction),
      ("download", finding.download), ("device", finding.device), ("account", finding.account),
    ] {
      if let name { concerns.append("\(kind) \(name.text)") }
    }
    if let detail = finding.detail { concerns.append(detail.text) }
    if finding.environment != .production { concerns.append("in \(finding.environment.text)") }
    let rule = finding.rule
    return [
      "<a href=\"#event-\(finding.position)\">\(finding.position)</a>",
      rule.severity.text, PageText.escaped(rule.id),
      PageText.escaped(concerns.joined(separator: ", ")),
      PageText.escaped(rule.explanation.meaning) + "<br>What to do: "
        + PageText.escaped(rule.explanation.advice),
    ]
  }

  private func cells(of step: ReplayStep, _ rules: [String]) -> [String] {
    let event = step.event.event
    var lines = step.changes.prefix(Self.changesMax).map { change in
      let (before, after) = (change.before?.text, change.after?.text ?? "removed")
      return "\(change.subject.kind.rawValue) \(change.subject.name.text): "
        + (before.map { "\($0) → " } ?? "") + after
    }
    let left = step.changes.count - lines.count
    if left > 0 { lines.append("and \(left) more") }
    let names = [
      event.product, event.transaction ?? event.payment, event.download, event.account,
      event.device,
    ]
    return ["<span id=\"event-\(step.event.position)\">\(step.event.position)</span>"]
      + [event.occurredAt.rfc3339, event.type.text].map(PageText.escaped)
      + names.map { PageText.escaped($0?.text ?? "") }
      + [
        lines.map(PageText.escaped).joined(separator: "<br>"),
        PageText.escaped(rules.joined(separator: ", ")),
      ]
  }

  /// A table, or a sentence that says that it is empty.
  ///
  /// - Parameter rows: The cells of each row, as HTML.
  private func table(_ name: String, _ titles: [String], _ rows: [[String]]) -> String {
    guard !rows.isEmpty else { return "<p>\(name): none.</p>\n" }
    var html =
      "<table class=\"\(name.lowercased())\">\n<caption>\(name) (\(rows.count))</caption>\n"
    html += "<thead><tr>"
    for title in titles { html += "<th scope=\"col\">\(title)</th>" }
    html += "</tr></thead>\n<tbody>\n"
    for row in rows {
      html += "<tr>"
      for cell in row {
        html += "<td>"
        html += cell
        html += "</td>"
      }
      html += "</tr>\n"
    }
    return html + "</tbody>\n</table>\n"
  }
}
