import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct FindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Prints the rules that were broken, in the past or now.",
    discussion: """
      Prints the findings of all environments in order of position. The table has one line for \
      each incident: findings about one transaction, at one event, or of one rule for one customer \
      on one device within a day. --no-incidents prints a line for each finding; JSON has a \
      finding for each entry unless --incidents is given. With --fail-on the exit code is 1 if one \
      of that severity, or a higher one, was found. Example:

        daybook findings --severity critical --reverse --limit 20 --explain
        daybook findings --count --by appVersion --since 2026-02-01T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions

  @Option(
    help: "Only this customer, by account.", completion: Completions.accounts, transform: Parse.name
  )
  var account: Name?

  @OptionGroup var holder: HolderOptions

  @Option(help: "Only in this environment (default: all; repeatable).")
  var environment: [EnvironmentArgument] = []

  @Option(
    help: "Only this rule (repeatable).", completion: Completions.rules, transform: Parse.rule)
  var rule: [Rule] = []

  @Option(help: "Only of this severity (repeatable).")
  var severity: [SeverityArgument] = []

  @OptionGroup var period: PeriodOptions

  @OptionGroup var clocks: ClockOptions

  @OptionGroup var thresholds: ThresholdOptions

  @Flag(
    inversion: .prefixedNo,
    help: "One entry for each incident, or for each finding (default: incidents in a table).")
  var incidents: Bool?

  @Flag(help: "Also print what each rule means and what to do.")
  var explain = false

  @Option(help: "Print at most this many.")
  var limit: UInt64?

  @Flag(help: "Newest position first.")
  var reverse = false

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

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    try holder.refuseSeveral(account, spelled: "--account")
  }

  func run() throws {
    try answering {
      var counts: GroupCounts?
      var isKnown = true
      let findings = try options.read { (view) throws(LedgerError) in
        let query = query
        let findings = try view.findings(query)
        if findings.isEmpty, let customer = query.customer {
          isKnown = try view.isKnown(customer, query.clocks)
        }
        if let by {
          counts = try view.counts(
            of: findings, by: by.list, clocks: clocks.clocks, zone: TimeFrame.zone)
        }
        return findings
      }
      if let counts {
        counts.print(format)
      } else if count {
        let isGrouped = incidents == true
        GroupCounts.print(
          total: isGrouped ? FindingIncident.incidents(of: findings).count : findings.count,
          format)
      } else {
        var list = FindingList(
          format: format, limit: Int(clamping: limit ?? .max), isReverse: reverse,
          explains: explain)
        if !isKnown, let customer = query.customer {
          list.nothing = "\(customer.description) is not known to the ledger"
        }
        list.print(findings, asIncidents: incidents ?? (format == .table))
      }
      if let failOn, findings.contains(where: { $0.severity >= failOn.severity }) {
        throw ExitStatus.found
      }
    }
  }

  private var query: FindingsQuery {
    var query = FindingsQuery()
    query.customer = holder.references(account).first
    query.environments = Array(Set(environment.map(\.environment))).sorted()
    query.rules = Set(rule)
    query.severities = Set(severity.map(\.severity))
    query.since = period.since
    query.until = period.until
    query.clocks = clocks.clocks
    thresholds.apply(to: &query.thresholds)
    return query
  }
}
