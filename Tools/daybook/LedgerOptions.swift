import ArgumentParser
import Foundation
import LedgerStore
import ServiceAccess

/// Where the ledger is: given by an option or the environment, or a folder with the default name.
struct LedgerOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The ledger's folder (default: $DAYBOOK_LEDGER, else ./daybook.ledger).",
      valueName: "path"),
    completion: .directory)
  var ledger: String?

  @OptionGroup var zone: ZoneOptions

  func validate() throws {
    // The folders of an empty path would be those of the root folder.
    if ledger?.isEmpty == true {
      throw ValidationError("--ledger is empty: name the ledger's folder.")
    }
  }

  var path: String { ledger ?? Self.named ?? Self.usual }

  /// Whether something exists at that path.
  var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether somebody said where it is.
  var isNamed: Bool { ledger != nil || Self.named != nil }

  /// The ledger that the environment names; `nil` if it names none.
  static var named: String? {
    let variable = ProcessInfo.processInfo.environment["DAYBOOK_LEDGER"] ?? ""
    return variable.isEmpty ? nil : variable
  }

  /// The default ledger, for commands that name none.
  static let usual = "daybook.ledger"

  /// Opens the ledger for a command that changes it. No command does so in another way.
  ///
  /// - Throws: `InputProblem` if its files must not become root's, and `LedgerError`.
  func openForChanges() throws -> Ledger {
    try refuseForeignRoot()
    return try Ledger(at: path, access: .readWrite)
  }

  /// Refuses to make files of root's in another user's ledger. Commands that change the files of
  /// the service, without opening the ledger, call this themselves.
  ///
  /// - Parameter folder: The ledger's folder; nil for that of the options.
  /// - Throws: `InputProblem`.
  func refuseForeignRoot(in folder: String? = nil) throws {
    guard let refusal = LedgerOwner.refusal(ledger: folder ?? path) else { return }
    throw InputProblem(refusal, exitCode: ExitStatus.noPermission)
  }

  /// Opens the ledger for appending. If the default ledger is missing, this creates it and reports
  /// that. A ledger that somebody named may be misspelled, so it is not created.
  ///
  /// - Throws: As ``openForChanges()``.
  func openOrMake() throws -> Ledger {
    do { return try openForChanges() } catch let error as LedgerError {
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

  /// CSV is another form of what a command prints as JSON Lines, so one writer serves all commands.
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
