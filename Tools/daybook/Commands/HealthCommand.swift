import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "What each release broke, compared with the version before.",
    discussion: """
      Prints customers and purchases of each version, and how often each rule was broken per 1,000 \
      purchases, compared with the next lower version that has purchases. Rules that became worse \
      come first. A change counts as worse or better only if it lies outside a 99 percent \
      interval; otherwise it is unclear. Example:

        daybook health --by appVersion --since 2026-02-01T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Versions of what: appVersion or systemVersion.")
  var by: HealthDimension = .appVersion

  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Only this rule (repeatable).", transform: Parse.rule)
  var rule: [Rule] = []

  @OptionGroup var period: PeriodOptions

  @OptionGroup var clocks: ClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      var query = FindingsQuery()
      query.environments = environments.environments
      query.rules = Set(rule)
      query.since = period.since
      query.until = period.until
      query.clocks = clocks.clocks
      let report = try options.read { (view) throws(LedgerError) in
        try view.health(by: by.dimension, query)
      }
      if format == .table { return printTable(report) }
      var printer = ListPrinter<HealthReport.Version>(
        format, header: [],
        columns: HealthReport.columns(by.rawValue),
        nothing: "", row: { _ in [] },
        write: { $0.write(to: &$1, name: by.rawValue) })
      for version in report.versions { printer.add(version) }
      printer.end()
    }
  }

  private func printTable(_ report: HealthReport) {
    guard !report.versions.isEmpty else { return Console.print("nothing has happened") }
    var versions = TextTable([by.rawValue, "customers", "purchases", "findings"])
    var rules = TextTable([
      by.rawValue, "change", "severity", "rule", "per 1,000", "before", "findings", "purchases",
      "findings before", "purchases before",
    ])
    var rows: [(change: HealthReport.Change, row: [String])] = []
    for version in report.versions {
      versions.add([
        String(cell: version.version), "\(version.customers)", "\(version.purchases)",
        "\(version.rules.reduce(0) { $0 + $1.findings })",
      ])
      for rate in version.rules { rows.append((rate.change, version.row(of: rate))) }
    }
    versions.lines.forEach(Console.print)
    guard !rows.isEmpty else { return Console.print("no findings") }
    for change in HealthReport.Change.allCases {
      for row in rows where row.change == change { rules.add(row.row) }
    }
    Console.print("")
    rules.lines.forEach(Console.print)
  }
}

/// A dimension by its name.
enum HealthDimension: String, ExpressibleByArgument, CaseIterable {
  case appVersion, systemVersion

  var dimension: HealthReport.Dimension {
    switch self {
    case .appVersion: .appVersion
    case .systemVersion: .systemVersion
    }
  }
}

extension HealthReport.Version {
  fileprivate func row(of rate: HealthReport.RuleRate) -> [String] {
    [
      String(cell: version), rate.change.text, rate.rule.severity.text, rate.rule.id,
      PerThousand.text(rate.findings, purchases) ?? "-",
      PerThousand.text(rate.findingsBefore, purchasesBefore) ?? "-", "\(rate.findings)",
      "\(purchases)", rate.findingsBefore.map { "\($0)" } ?? "-",
      purchasesBefore.map { "\($0)" } ?? "-",
    ]
  }
}
