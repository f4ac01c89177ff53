import ArgumentParser
import Foundation
import LedgerStore

/// Where the ledger is: an option, the environment, or a folder of the usual name.
struct LedgerOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The ledger's folder (default: $DAYBOOK_LEDGER, else ./daybook.ledger).",
      valueName: "path"),
    completion: .directory)
  var ledger: String?

  @OptionGroup var zone: ZoneOptions

  var path: String { ledger ?? Self.named ?? Self.usual }

  /// Whether there is something at that path.
  var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether somebody said where it is.
  var isNamed: Bool { ledger != nil || Self.named != nil }

  /// The ledger that the environment names; nil where it names none.
  static var named: String? {
    let variable = ProcessInfo.processInfo.environment["DAYBOOK_LEDGER"] ?? ""
    return variable.isEmpty ? nil : variable
  }

  /// The ledger of commands that name none.
  static let usual = "daybook.ledger"

  /// Opens the ledger to append to it. The usual one is made where it is missing, and that is
  /// said; one that somebody named may be misspelled, and is not.
  ///
  /// - Throws: `LedgerError`.
  func openOrMake() throws(LedgerError) -> Ledger {
    do throws(LedgerError) { return try Ledger(at: path, access: .readWrite) } catch {
      guard error.code == .noLedger, !isNamed else { throw error }
    }
    let ledger = try Ledger.create(at: path)
    Console.complain("made an empty ledger in \(path)")
    return ledger
  }
}

/// How a command answers.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl

  /// CSV is what a command prints as JSON Lines, in another form: one writer for all of them.
  private static let csv = "csv"

  init?(argument: String) {
    if argument == Self.csv {
      Console.writeCSV()
      self = .jsonl
      return
    }
    self.init(rawValue: argument)
  }

  static var allValueStrings: [String] { allCases.map(\.rawValue) + [csv] }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
