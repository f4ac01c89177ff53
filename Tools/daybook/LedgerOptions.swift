import ArgumentParser
import Foundation
import LedgerStore

/// Where the ledger is: an option, the environment, or a folder of the usual name.
struct LedgerOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The ledger's folder (default: $DAYBOOK_LEDGER, else ./daybook.ledger).",
      valueName: "path"))
  var ledger: String?

  @OptionGroup var zone: ZoneOptions

  var path: String { named ?? "daybook.ledger" }

  /// Whether somebody said where it is.
  var isNamed: Bool { named != nil }

  private var named: String? {
    if let ledger { return ledger }
    let variable = ProcessInfo.processInfo.environment["DAYBOOK_LEDGER"] ?? ""
    return variable.isEmpty ? nil : variable
  }
}

/// How a command answers.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl
}
