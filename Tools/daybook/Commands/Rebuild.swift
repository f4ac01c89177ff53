import ArgumentParser
import LedgerStore

struct Rebuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Throws the projections away and folds the log anew.",
    discussion: """
      Readers are answered from the old projections until the new ones are complete. With --check \
      the live ones stay: new ones are folded beside them and compared, and the exit code is 1 \
      where \
      they differ. Example:

        daybook rebuild --check
      """)

  @OptionGroup var options: LedgerOptions

  @Flag(help: "Folds anew beside the live projections and compares.")
  var check = false

  @Option(help: "How to answer: table or json.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let ledger = try Ledger(at: options.path, access: .readWrite)
      let bar = ProgressBar(check ? "checking" : "folding", unit: "events")
      defer { bar.end() }
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
}
