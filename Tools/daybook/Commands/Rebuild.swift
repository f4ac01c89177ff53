import ArgumentParser
import Audit
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct Rebuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Rebuilds the projections from the log.",
    discussion: """
      Readers use the old projections until the new ones are complete. With --check the live \
      projections stay: new ones are built beside them and compared, and the exit code is 1 if \
      they differ. --check --report lists what changes for which customers, in FILE if one is \
      named: a gate before a program with other rules goes live. Example:

        daybook rebuild --check
        daybook rebuild --check --report --format jsonl changes.jsonl
      """)

  @OptionGroup var options: LedgerOptions

  @Flag(help: "Build new projections beside the live ones and compare them.")
  var check = false

  @Flag(help: "With --check: list how each customer's answers change with this program's rules.")
  var report = false

  @Argument(help: "With --report: the file to write (default: standard output).")
  var file: String?

  @Flag(help: "With a file: replace an existing one.")
  var force = false

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if report && !check {
      throw ValidationError("--report needs --check, which keeps the live projections.")
    }
    if let file, !report {
      throw ValidationError("found \(file): a file is only for --check --report.")
    }
    if force && file == nil {
      throw ValidationError("--force needs a file for --check --report.")
    }
  }

  func run() throws {
    try answering {
      let ledger = try options.openForChanges()
      let bar = ProgressBar(check ? "checking" : "folding", unit: "events")
      defer { bar.end() }
      if report { return try runReport(ledger, bar) }
      var differences: [String] = []
      if check {
        differences = try ledger.checkProjections(progress: bar.show)
      } else {
        try ledger.rebuild(progress: bar.show)
      }
      bar.end()
      let position = try ledger.log.lastPosition()
      switch format {
      case .table:
        for difference in differences { Console.print(difference.printable) }
        Console.print(
          check
            ? (differences.isEmpty
              ? "the projections agree with the log up to position \(position)"
              : "\(differences.count.counted("difference")): run `daybook rebuild`")
            : "folded \(position.counted("event"))")
      case .json, .jsonl:
        var json = JSONText()
        json.object { json in
          json.member("position", position)
          json.member("checked", check)
          json.member("differences", strings: differences)
        }
        Console.print(json.text)
      }
      if !differences.isEmpty { throw ExitStatus.found }
    }
  }

  private func runReport(_ ledger: Ledger, _ bar: ProgressBar) throws {
    let output = try file.map { file in
      try OutputFile(OutputDestination(path: file, replaces: force, ledger: options.path))
    }
    defer { output?.discard() }
    let printer = try ReducerReportPrinter(format, to: output, called: file ?? "")
    var failure: (any Error)?
    let report = try ledger.reportReducer(now: EventLog.systemClock(), progress: bar.show) {
      (revision) throws(LedgerError) in
      guard failure == nil else { return }
      do { try printer.add(revision) } catch { failure = error }
    }
    bar.end()
    if let failure { throw failure }
    try printer.end(report)
    if report.isDifferent { throw ExitStatus.found }
  }
}
