import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import LedgerStore

/// What went wrong, by release of the app: the rates of each release, and the incidents.
struct FindingsPage {
  /// An incident and the release in which it happened.
  struct Incident: Sendable {
    let incident: FindingIncident
    /// nil if no session states a version.
    let release: Name?
  }

  struct Found: Sendable {
    let report: HealthReport
    /// The most severe first, then the newest.
    let incidents: [Incident]
    let position: UInt64
  }

  /// What the inbox is filtered by.
  struct Filter: Sendable {
    static let parameters = [
      "release", "severity", "rule", "since", "until", "environment", "page",
    ]
    /// What stands for findings of no known release.
    static let noRelease = "none"

    let query: FindingsQuery
    /// nil for every release.
    let release: String?
    let page: Int
    let items: [(String, String?)]

    init(_ items: QueryItems) throws(Problem) {
      var query = FindingsQuery()
      query.environments = try items.environments()
      query.rules = try items.rules()
      query.severities = try items.severities()
      query.since = try items.instant("since")
      query.until = try items.instant("until")
      self.query = query
      release = try items.text("release")
      page = Int(try items.number("page", in: 1...1_000_000) ?? 1)
      self.items = Self.parameters.dropLast().flatMap { name in
        items.texts(name).map { (name, $0) }
      }
    }

    func includes(_ release: Name?) -> Bool {
      guard let wanted = self.release else { return true }
      return release.map { $0.text == wanted } ?? (wanted == Self.noRelease)
    }
  }

  /// How many incidents are on a page.
  private static let incidentsMax = 25

  let filter: Filter

  /// Finds the incidents of a filter.
  ///
  /// - Complexity: O(*n*) in the ledger's events.
  static func found(_ filter: Filter, _ view: LedgerView) throws(LedgerError) -> Found {
    let report = try view.health(by: .appVersion, filter.query)
    let versions = try view.sessionVersions()
    var incidents: [Incident] = []
    for incident in FindingIncident.incidents(of: try view.findings(filter.query)) {
      let event = try view.event(at: incident.head.position).event
      let release = versions.versions(of: event).app.map { Name($0) }
      if filter.includes(release) {
        incidents.append(Incident(incident: incident, release: release))
      }
    }
    incidents.sort {
      ($1.incident.head.severity, $1.incident.head.position)
        < ($0.incident.head.severity, $0.incident.head.position)
    }
    return Found(report: report, incidents: incidents, position: view.position)
  }

  func page(_ found: Found) -> Page {
    var body: HTML = "<h1>Findings</h1>\n"
    body += "<p class=\"lead\">What apps did that costs customers or money, with what to do about "
    body += "it.</p>\n"
    body += .section("releases", "Releases", releases(found))
    body += .section("inbox", "Incidents", form + incidents(found))
    return Page(title: "Findings", place: .findings, body: body, position: found.position)
  }

  /// How many releases are shown above the incidents; the others open by a click.
  private static let releasesUsual = 6

  private func releases(_ found: Found) -> HTML {
    let versions = found.report.versions
    let html = table(versions.prefix(Self.releasesUsual))
    guard versions.count > Self.releasesUsual else { return html }
    let older = versions.dropFirst(Self.releasesUsual)
    return html + "<details><summary>\(older.count.counted("older release"))</summary>"
      + table(older) + "</details>\n"
  }

  private func table(_ versions: ArraySlice<HealthReport.Version>) -> HTML {
    var table = PageTable(
      "Releases", ["Release", "Customers", "Purchases", "Findings", "Worse than before", "Show"])
    for version in versions {
      let worse = version.rules.filter { $0.change == .worse }
      let count = version.rules.reduce(0) { $0 + $1.findings }
      let name = version.version?.text
      let show = PageAddress("/findings", items(release: name ?? Filter.noRelease)).at("inbox")
      table.add([
        name.map { "<span class=\"name\">\($0)</span>" } ?? "not stated",
        "\(version.customers)", "\(version.purchases)", "\(count)",
        worse.isEmpty
          ? .nothing
          : worse.map { "<span class=\"badge warn\">\($0.rule.id)</span>" as HTML }.joined(" "),
        .link(show, "Incidents", unseen: "of release \(name ?? "not stated")"),
      ])
    }
    return table.html(empty: "No session states the version of an app.")
  }

  private func items(release: String?) -> [(String, String?)] {
    filter.items.filter { $0.0 != "release" } + [("release", release)]
  }

  private var form: HTML {
    var html: HTML = "<form class=\"row\" action=\"/findings#inbox\" method=\"get\">"
    html += PageField(id: "release", name: "release", label: "Release", value: filter.release).html
    let severities = Rule.Severity.allCases.reversed().map { (value: $0.text, text: $0.text) }
    html += .select(
      "severity", name: "severity", "Severity", [("", "every")] + severities,
      chosen: filter.query.severities.first?.text)
    let rules = Rule.allCases.map(\.id).sorted().map { (value: $0, text: $0) }
    html += .select(
      "rule", name: "rule", "Rule", [("", "every")] + rules, chosen: filter.query.rules.first?.id)
    html +=
      PageField(
        id: "since", name: "since", label: "Since", value: filter.query.since.map(PageTime.field),
        hint: "2026-05-11, or 7d"
      ).html
    html += .environments(filter.query.environments)
    return html + "<p class=\"field\"><button>Filter</button></p></form>\n"
  }

  private func incidents(_ found: Found) -> HTML {
    let first = (filter.page - 1) * Self.incidentsMax
    let shown = found.incidents.dropFirst(first).prefix(Self.incidentsMax)
    guard !shown.isEmpty else {
      return .note(found.incidents.isEmpty ? "No rule is broken here." : "There are no more.")
    }
    let all = found.incidents.count
    var html: HTML = "<p role=\"status\">\(first + 1) to \(first + shown.count) of "
    html += "\(all.counted("incident")), the most severe first.</p>\n"
    html += shown.map { Self.card($0) }.joined()
    html += "<p class=\"actions\">"
    if filter.page > 1 { html += .link(address(filter.page - 1), "← Before") + " " }
    if first + shown.count < all { html += .link(address(filter.page + 1), "More →") }
    return html + "</p>\n"
  }

  private func address(_ page: Int) -> PageAddress {
    PageAddress("/findings", filter.items + [("page", "\(page)")]).at("inbox")
  }

  private static func card(_ found: Incident) -> HTML {
    let incident = found.incident
    let head = incident.head
    var html: HTML = "<article class=\"finding s\(head.severity.rawValue)\"><h3>"
    html += .severity(head.severity) + " <span class=\"name\">\(head.rule.id)</span></h3>"
    html += "<p>\(head.rule.explanation.meaning)</p>"
    html += "<p><strong>What to do:</strong> \(head.rule.explanation.advice)</p>"
    html += "<dl class=\"pairs\"><dt>Happened</dt><dd>\(HTML.time(incident.since))"
    if incident.until > incident.since { html += " to \(HTML.time(incident.until))" }
    html += "</dd><dt>Release</dt><dd>\(found.release?.text ?? "not stated")</dd>"
    if incident.rules.count > 1 {
      let others = incident.rules.dropFirst().map(\.id).joined(separator: ", ")
      html += "<dt>Also broken</dt><dd>\(others)</dd>"
    }
    html += list("Customers", incident.accounts) { .link(.account($0), $0.text) }
    html += list("Transactions", incident.transactions) {
      .link(.customer(.transaction($0)), $0.text)
    }
    html += list("Products", incident.products) { .name($0) }
    html += list("Devices", incident.devices) { .name($0) }
    html += "</dl><p><a class=\"button\" href=\"\(replay(incident))\">Open the replay</a> "
    html += .link(.event(head.position), "Event \(head.position)")
    return html + "</p></article>\n"
  }

  /// How many names of a kind are listed.
  private static let namesMax = 8

  private static func list(_ title: String, _ names: [Name], _ html: (Name) -> HTML) -> HTML {
    guard !names.isEmpty else { return "" }
    let left = names.count - namesMax
    let more: HTML = left > 0 ? " and \(left) more" : ""
    return "<dt>\(title)</dt><dd>\(names.prefix(namesMax).map(html).joined(", "))\(more)</dd>"
  }

  /// The replay of what belongs to an incident, at the event of its first finding.
  private static func replay(_ incident: FindingIncident) -> PageAddress {
    PageAddress("/incident", slice(of: incident)).at(step: incident.head.position)
  }

  private static func slice(of incident: FindingIncident) -> [(String, String?)] {
    if let account = incident.head.account { return [("account", account.text)] }
    if let transaction = incident.head.transaction {
      return [("transaction", transaction.text)]
    }
    let positions = incident.findings.map(\.position)
    return [
      ("from", positions.min().map { "\($0)" }), ("to", positions.max().map { "\($0)" }),
    ]
  }
}
