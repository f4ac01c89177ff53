import ArgumentParser
import Foundation
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import Synchronization

struct ContentValidate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Checks whether the store would accept a content package, and lists every fault.",
    discussion: """
      Reads the package once. If there is a ledger, product and version are compared with its \
      catalogue and the version on offer. Prints every fault with its path and what to do; the \
      exit code is 1 if there is one. Example:

        daybook content validate atlas-1.1.pkg --product com.example.atlas
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(
    help: "The package: a folder, a .pkg or a zip; its format is detected from its contents.")
  var package: String

  @Option(
    help: "The product that the package must contain.", completion: Completions.products,
    transform: Parse.name)
  var product: Name?

  @Option(help: "The bundle identifier of the app whose catalogue applies.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment of the catalogue and of the version on offer.")
  var environment: EnvironmentArgument?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let ledger = try LedgerExpectations(
        options, product: product, app: app, environment: environment?.environment ?? .production)
      let (report, kind) = try PackageReading.judge(package, expecting: ledger.expectations)
      try ledger.rethrow()
      print(report, kind, ledger)
      if !report.isValid { throw ExitStatus.found }
    }
  }

  private func print(
    _ report: PackageReport, _ kind: PackageFormat, _ ledger: LedgerExpectations
  ) {
    switch format {
    case .table:
      if let notice = ledger.notice { Console.complain("daybook: \(notice)") }
      report.printFaults()
      if report.isValid {
        let name = "\(report.product?.text ?? "-") \(report.version?.text ?? "-")"
        Console.print(
          ("valid: \(name), \(report.files.count.counted("file")), "
            + "\(report.bytes.counted("byte")), "
            + "\(report.digest)").printable)
      }
    case .json:
      var json = JSONText()
      json.object { json in
        json.member("package", package)
        json.member("format", kind.rawValue)
        report.writeSummary(to: &json)
        json.member("fileCount", report.files.count)
        json.member("comparedWithLedger", ledger.isThere)
        json.member("comparedWithCatalogue", ledger.expectations.knownProducts != nil)
        report.writeFaults(to: &json)
      }
      Console.print(json.text)
    case .jsonl:
      for fault in report.faults {
        var json = JSONText()
        fault.write(to: &json)
        Console.print(json.text)
      }
    }
  }
}
