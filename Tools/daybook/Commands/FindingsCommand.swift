import ArgumentParser
import LedgerEvents
import LedgerModel
import LedgerStore

struct FindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Prints the rules that were broken, and those that are broken now.",
    discussion: """
      Prints the findings of all environments in order of position. With --fail-on the exit code \
      is 1 if one of that severity, or a higher one, was found. Example:

        daybook findings --count --by appVersion --since 2026-02-01T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Only this customer, by account.", transform: Parse.name)
  var account: Name?

  @Option(help: "Only in this environment (default: all; repeatable).")
  var environment: [EnvironmentArgument] = []

  @Option(help: "Only this rule (repeatable).", transform: Parse.rule)
  var rule: [Rule] = []

  @Option(help: "Only of this severity (repeatable).")
  var severity: [SeverityArgument] = []

  @Option(
    help: ArgumentHelp("Only at events that occurred at this time or later.", valueName: "time"),
    transform: Parse.instant)
  var since: Instant?

  @Option(
    help: ArgumentHelp("Only at events that occurred before this time.", valueName: "time"),
    transform: Parse.instant)
  var until: Instant?

  @OptionGroup var clocks: ClockOptions

  @Option(
    help: ArgumentHelp(
      "How long something may stay open, such as never-finished=PT48H (repeatable).",
      valueName: "rule=duration"),
    transform: Parse.threshold)
  var threshold: [RuleThreshold] = []

  @Flag(help: "Print only the count.")
  var count = false

  @Option(
    help: ArgumentHelp(
      "Count by a value, or by several separated by commas, such as rule,appVersion.",
      valueName: "value,…"))
  var by: Dimensions<FindingDimension>?

  @Option(
    name: .customLong("fail-on"),
    help: "Exit with 1 if a finding of this severity or a higher one was found.")
  var failOn: SeverityArgument?

  @Option(help: "Output format: table, json or jsonl.")
  var format: OutputFormat = .table

  func validate() throws { try Parse.refuseTurned(since: since, until: until) }

  func run() throws {
    try answering {
      var versions: SessionVersions?
      var sessions: [UInt64: SessionVersions.Versions] = [:]
      let findings = try options.read { (view) throws(LedgerError) in
        let findings = try view.findings(query)
        if by?.list.contains(where: \.needsSessions) ?? false {
          versions = try view.sessionVersions(clocks: clocks.clocks)
          for finding in findings where sessions[finding.position] == nil {
            let event = try view.event(at: finding.position).event
            sessions[finding.position] = versions?.versions(of: event)
          }
        }
        return findings
      }
      if let by {
        var counts = GroupCounts(by.names)
        for finding in findings {
          counts.add(by.list.map { $0.value(of: finding, sessions[finding.position]) })
        }
        counts.print(format)
      } else if count {
        GroupCounts.print(total: findings.count, format)
      } else {
        FindingAnswer.print(findings, format)
      }
      if let failOn, findings.contains(where: { $0.severity >= failOn.severity }) {
        throw ExitStatus.found
      }
    }
  }

  private var query: FindingsQuery {
    var query = FindingsQuery()
    query.account = account
    query.environments = Array(Set(environment.map(\.environment))).sorted()
    query.rules = Set(rule)
    query.severities = Set(severity.map(\.severity))
    query.since = since
    query.until = until
    query.clocks = clocks.clocks
    for threshold in threshold { threshold.apply(to: &query.thresholds) }
    return query
  }
}

extension FindingAnswer {
  static func print(_ findings: [FindingAnswer], _ format: OutputFormat) {
    var printer = ListPrinter<FindingAnswer>(
      format,
      header: ["position", "severity", "rule", "occurred", "account", "transaction", "concerns"],
      nothing: "no findings",
      row: { finding in
        [
          "\(finding.position)", finding.severity.text, finding.rule.id,
          finding.occurredAt.shown, String(cell: finding.account),
          String(cell: finding.transaction), finding.concerns,
        ]
      },
      write: { finding, json in finding.write(to: &json) })
    for finding in findings { printer.add(finding) }
    printer.end()
  }

  /// What else it is about, for people.
  var concerns: String {
    var parts: [String] = []
    if let product { parts.append(product.text) }
    if let download { parts.append("download \(download.text)") }
    if let device { parts.append("on \(device.text)") }
    if let detail { parts.append("(\(detail.text))") }
    if environment != .production { parts.append("in \(environment.text)") }
    return parts.isEmpty ? "-" : parts.joined(separator: " ")
  }

  func write(to json: inout JSONText) {
    json.object { json in
      json.member("rule", rule.id)
      json.member("severity", severity.text)
      json.member("position", position)
      json.member("occurredAt", occurredAt)
      json.member("environment", environment.text)
      json.member("account", account)
      json.member("device", device)
      json.member("transaction", transaction)
      json.member("product", product)
      json.member("download", download)
      json.member("detail", detail)
    }
  }
}
