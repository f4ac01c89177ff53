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

  var path: String {
    if let ledger { return ledger }
    if let named = ProcessInfo.processInfo.environment["DAYBOOK_LEDGER"], !named.isEmpty {
      return named
    }
    return "daybook.ledger"
  }
}

/// How a command answers.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl
}
