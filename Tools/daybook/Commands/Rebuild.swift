import ArgumentParser
import Foundation
import LedgerEvents
import LedgerStore

struct Rebuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Throws the projections away and folds the log anew.",
    discussion: """
      Readers are answered from the old projections until the new ones are complete. With \
      --check the live ones stay: new ones are folded beside them and compared, and the exit \
      code is 1 where they differ. With --check --report it is said for whom, and what: the gate \
      before a program with other rules goes live; into FILE where one is named. Example:

        daybook rebuild --check
        daybook rebuild --check --report --format jsonl changes.jsonl
      """)

  @OptionGroup var options: LedgerOptions

  @Flag(help: "Folds anew beside the live projections and compares.")
  var check = false

  @Flag(help: "With --check: what each customer's answers become with this program's rules.")
  var report = false

  @Argument(help: "With --report: the file that it goes into (default: standard output).")
  var file: String?

  @Flag(help: "With a file: replaces one that is there already.")
  var force = false

  @Option(help: "How to answer: table or json; a report also jsonl.")
  var format: OutputFormat = .table

  func validate() throws {
    if report && !check {
      throw ValidationError("--report goes with --check: nothing is switched then.")
    }
    if let file, !report {
      throw ValidationError("found \(file): a file is where --check --report is written to.")
    }
    if force && file == nil {
      throw ValidationError("--force goes with the file that --check --report is written to.")
    }
  }

  func run() throws {
    try answering {
      let ledger = try Ledger(at: options.path, access: .readWrite)
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
        for difference in differences { Console.print(TextTable.printable(difference)) }
        Console.print(
          check
            ? (differences.isEmpty
              ? "the projections agree with the log up to position \(position)"
              : "\(differences.count) differences: run `daybook rebuild`")
            : "folded \(position) events")
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
      try OutputFile(OutputPlace(path: file, replaces: force, ledger: options.path))
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
