import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// Prints findings, either each by itself or those of one cause together.
struct FindingList {
  let format: OutputFormat
  let limit: Int
  let isReverse: Bool
  /// Whether to print the meaning and the advice of the rules with them.
  let explains: Bool
  /// What people read if nothing was found.
  var nothing = "no findings"

  /// Prints each finding as a line of a table.
  static func print(_ findings: [FindingAnswer]) {
    FindingList(format: .table, limit: .max, isReverse: false, explains: false)
      .print(findings, asIncidents: false)
  }

  func print(_ findings: [FindingAnswer], asIncidents: Bool) {
    if asIncidents {
      let incidents = FindingIncident.incidents(of: findings)
      let shown = chosen(incidents)
      print(
        shown, of: incidents.count, "incidents",
        header: [
          "position", "since", "severity", "rule", "customer", "transaction", "concerns",
          "findings",
        ],
        columns: FindingIncident.columns(explains: explains),
        row: \.row, isAlarming: { $0.head.isAlarming },
        write: { $0.write(to: &$1, explains: explains) },
        rules: shown.flatMap(\.rules))
    } else {
      let shown = chosen(findings)
      print(
        shown, of: findings.count, "findings",
        header: [
          "position", "severity", "rule", "occurred", "account", "transaction", "concerns",
        ],
        columns: FindingAnswer.columns(explains: explains),
        row: \.row, isAlarming: \.isAlarming,
        write: { explains ? $0.writeWithAdvice(to: &$1) : $0.write(to: &$1) },
        rules: shown.map(\.rule))
    }
  }

  /// The first or the newest ones.
  private func chosen<Element>(_ all: [Element]) -> [Element] {
    Array((isReverse ? all.reversed() : all).prefix(limit))
  }

  private func print<Element>(
    _ shown: [Element], of count: Int, _ what: String, header: [String], columns: [String],
    row: @escaping (Element) -> [String], isAlarming: @escaping (Element) -> Bool,
    write: @escaping (Element, inout JSONText) -> Void, rules: [Rule]
  ) {
    var printer = ListPrinter<Element>(
      format, header: header, columns: columns,
      nothing: count == 0 ? nothing : "nothing within the limit",
      row: row, isAlarming: isAlarming, write: write)
    for element in shown { printer.add(element) }
    printer.end()
    guard format == .table else { return }
    if shown.count < count {
      Console.print("\(shown.count) of \(count) \(what): --limit shows more")
    }
    if explains { explain(rules) }
  }

  /// Explains each rule once, the worst first.
  private func explain(_ rules: [Rule]) {
    let distinct = Rule.allCases.filter(Set(rules).contains)
    for rule in distinct.enumerated().sorted(by: {
      ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
    }).map(\.element) {
      Console.print("")
      Console.print("\(Console.bold(rule.id)) (\(rule.severity.text))")
      let texts = [rule.explanation.meaning, "What to do: \(rule.explanation.advice)"]
      for text in texts {
        let lines = Paragraph.lines(text, columns: Paragraph.columns - 2)
        for line in lines { Console.print("  \(line)") }
      }
    }
  }
}

extension FindingIncident {
  fileprivate var row: [String] {
    let others = rules.dropFirst().map(\.id)
    return [
      "\(findings[0].position)", since.shown, head.severity.text,
      head.rule.id + (others.isEmpty ? "" : " (with \(others.joined(separator: ", ")))"),
      Self.cell(accounts), Self.cell(transactions), concerns, "\(findings.count)",
    ]
  }

  /// The first of the names, and how many more.
  private static func cell(_ names: [Name]) -> String {
    guard let first = names.first else { return "-" }
    return names.count == 1 ? first.text : "\(first.text) and \(names.count - 1) more"
  }

  /// What else it is about, for people.
  private var concerns: String {
    if findings.count == 1 { return head.concerns }
    var parts: [String] = []
    if !products.isEmpty { parts.append(Self.cell(products)) }
    if !devices.isEmpty { parts.append("on \(Self.cell(devices))") }
    if head.environment != .production { parts.append("in \(head.environment.text)") }
    return parts.isEmpty ? "-" : parts.joined(separator: " ")
  }
}

extension TextTable {
  /// The findings of one customer.
  static func findings(_ findings: [FindingAnswer]) -> TextTable {
    var table = TextTable([
      "position", "occurred", "severity", "rule", "transaction", "concerns",
    ])
    for finding in findings {
      table.add(
        [
          "\(finding.position)", finding.occurredAt.shown, finding.severity.text, finding.rule.id,
          String(cell: finding.transaction), finding.concerns,
        ], isAlarming: finding.isAlarming)
    }
    return table
  }
}

extension FindingAnswer {
  fileprivate var row: [String] {
    [
      "\(position)", severity.text, rule.id, occurredAt.shown, String(cell: account),
      String(cell: transaction), concerns,
    ]
  }

  /// Whether people see it in red.
  var isAlarming: Bool { severity >= .error }

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
}
