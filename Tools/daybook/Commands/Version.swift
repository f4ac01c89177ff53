import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct Version: ParsableCommand {
  /// The program's version, by semantic versioning.
  static let program = ProgramVersion.current

  static let configuration = CommandConfiguration(
    abstract: "The versions of the program, its formats and LMDB.",
    discussion: """
      Needs no ledger. Example:

        daybook version --format json
      """)

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      switch format {
      case .table:
        Console.print("daybook \(Self.program)")
        Console.print("ledger format \(LogIdentity.formatVersion)")
        Console.print("record format \(Record.formatVersion)")
        Console.print("LMDB \(Ledger.lmdbVersion)")
      case .json, .jsonl:
        var json = JSONText()
        json.object { json in
          json.member("daybook", Self.program)
          json.member("ledgerFormat", LogIdentity.formatVersion)
          json.member("recordFormat", Record.formatVersion)
          json.member("lmdb", Ledger.lmdbVersion)
        }
        Console.print(json.text)
      }
    }
  }
}
