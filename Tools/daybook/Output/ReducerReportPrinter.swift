import Audit
import LedgerAnswers
import LedgerEvents
import LedgerQueries

/// Writes what another version of the rules changes, customer by customer, and then the counts.
final class ReducerReportPrinter {
  private let format: OutputFormat
  private let output: OutputFile?
  private let name: String
  private var table = TextTable(["account", "environment", "what", "name", "before", "after"])
  private var count = 0
  /// Turns the file's lines into CSV. Standard output does so itself.
  private var csv: CSVAnswer?

  /// - Parameters:
  ///   - output: The file to which the report is written; `nil` for standard output.
  ///   - name: The name of the file.
  init(_ format: OutputFormat, to output: OutputFile?, called name: String) throws {
    self.format = format
    self.output = output
    self.name = name
    csv = output == nil ? nil : Console.fileCSV
    if format == .json { try print(#"{"customers":["#) }
  }

  func add(_ revision: CustomerRevision) throws {
    defer { count += 1 }
    guard format != .table else {
      for row in revision.rows { table.add(row) }
      return
    }
    var json = JSONText()
    revision.write(to: &json)
    try print((format == .json && count > 0 ? "," : "") + json.text)
  }

  /// Writes the counts. If the report is in a file, they are also printed to standard output.
  func end(_ report: ReducerReport) throws {
    var json = JSONText()
    switch format {
    case .table:
      if !table.isEmpty {
        let lines = output == nil ? table.lines : table.lines(within: nil)
        for line in lines + [""] { try print(line) }
      }
      for line in report.lines { try print(line) }
    case .json:
      json.object { report.write(to: &$0) }
      // The object was opened before the customers.
      try print("]," + json.text.dropFirst())
    case .jsonl:
      json.object { json in
        json.key("summary")
        json.object { report.write(to: &$0) }
      }
      try print(json.text)
    }
    guard let output else { return }
    for line in csv?.lastLines() ?? [] { try output.write(line) }
    try output.publish()
    Console.print("\(name.printable): \(report.lines[0])")
  }

  private func print(_ line: String) throws {
    guard let output else { return Console.print(line) }
    for line in csv?.lines(adding: Array(line.utf8)) ?? [Array((line + "\n").utf8)] {
      try output.write(line)
    }
  }
}

extension CustomerRevision {
  /// A row for each change.
  fileprivate var rows: [[String]] {
    let who = [account?.text ?? "-", environment.text]
    var rows: [[String]] = []
    for entry in answer?.entries ?? [] {
      let known = entry.after ?? entry.before
      let texts = AnswerWords.shown.texts(entry.before, entry.after)
      let from = from.map { " from \($0.shown)" } ?? ""
      rows.append(
        who + [
          known?.product == nil ? "entitlement" : "product",
          (known?.product ?? known?.entitlement)?.text ?? "-", texts.before, texts.after + from,
        ])
    }
    for balance in answer?.balances ?? [] {
      rows.append(
        who + ["balance", balance.unit.text, "\(balance.before)", "\(balance.after)"])
    }
    for content in installed {
      let device = content.device.map { " on \($0.text)" } ?? ""
      rows.append(
        who + [
          "installed", content.product.text + device, content.before?.text ?? "-",
          content.after?.text ?? "-",
        ])
    }
    for finding in findings {
      rows.append(who + ["finding", finding.rule, "\(finding.before)", "\(finding.after)"])
    }
    return rows
  }

  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("account", account)
      json.member("environment", environment.text)
      json.member("from", from)
      AnswerDifference.writeChanges(answer, to: &json)
      json.member("installed", each: installed) { json, content in
        json.object { json in
          json.member("device", content.device)
          json.member("product", content.product)
          json.member("before", content.before)
          json.member("after", content.after)
        }
      }
      FindingsRevision.write(findings, to: &json)
    }
  }
}

extension FindingsRevision {
  fileprivate static func write(_ findings: [FindingsRevision], to json: inout JSONText) {
    json.member("findings", each: findings) { json, finding in
      json.object { json in
        json.member("rule", finding.rule)
        json.member("before", finding.before)
        json.member("after", finding.after)
      }
    }
  }
}

extension ReducerReport {
  /// The result, first in a sentence, and then for each rule that is broken a different number of
  /// times.
  fileprivate var lines: [String] {
    let rules = "rules \(storedReducer) → \(reducer), up to position \(position)"
    guard isDifferent else {
      return ["no answer of \(accounts.counted("account")) differs: \(rules)"]
    }
    var lines = [
      "\(changed) of \(accounts.counted("account")) differ (\(gaining) gain, \(losing) lose, "
        + "\(otherBalances) other balances, \(otherInstalled) other versions installed): \(rules)"
    ]
    for finding in findings where finding.before != finding.after {
      lines.append("findings \(finding.rule): \(finding.before) → \(finding.after)")
    }
    return lines
  }

  fileprivate func write(to json: inout JSONText) {
    json.member("position", position)
    json.member("storedReducer", storedReducer)
    json.member("reducer", reducer)
    json.member("accounts", accounts)
    json.member("changed", changed)
    json.member("gaining", gaining)
    json.member("losing", losing)
    json.member("otherBalances", otherBalances)
    json.member("otherInstalled", otherInstalled)
    json.member("different", isDifferent)
    FindingsRevision.write(findings, to: &json)
  }
}
