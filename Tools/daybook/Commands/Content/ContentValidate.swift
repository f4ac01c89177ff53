import ArgumentParser
import Foundation
import HostedContent
import LedgerEvents
import LedgerStore
import Synchronization

struct ContentValidate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Whether the store would take a content package, and every fault of it.",
    discussion: """
      Reads the package once, and the ledger where there is one: product and version are compared \
      with its catalogue and the version on offer. Writes every fault with its path and what to \
      do; exit 1 where there is any. Example:

        daybook content validate atlas-1.1.pkg --product com.example.atlas
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The package: a folder, a .pkg or a zip; what it is its first bytes tell.")
  var package: String

  @Option(help: "The product that the package must be of.", transform: Parse.name)
  var product: Name?

  @Option(help: "The bundle identifier whose catalogue counts.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment whose catalogue and version on offer count.")
  var environment: EnvironmentArgument?

  @Option(help: "How to answer: table, json or jsonl (a line for each fault).")
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
          TextTable.printable(
            "valid: \(name), \(report.files.count) files, \(report.bytes) bytes, "
              + "\(report.digest)"))
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
