import ArgumentParser
import LedgerEvents
import LedgerStore

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "What changed between two positions or times of the ledger.",
    discussion: """
      Reads the ledger and writes, customer by customer, what came and went: products, \
      entitlements, balances, installed versions. Each side is what the ledger answered then; with \
      --at both are judged at one store time, so that only what it learned counts. Example:

        daybook diff reader-1 --from 2026-02-01T00:00:00Z --to 2026-03-01T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The customer's account (default: all customers).", transform: Parse.name)
  var account: Name?

  @Option(
    help: ArgumentHelp(
      "A position or time of the ledger; 0 is before its first event.",
      valueName: "position|time"),
    transform: Parse.ledgerTime)
  var from: Clocks.LedgerTime

  @Option(
    help: ArgumentHelp("A later one (default: the ledger's end).", valueName: "position|time"),
    transform: Parse.ledgerTime)
  var to: Clocks.LedgerTime?

  @Option(
    help: ArgumentHelp("Judge both sides at this store time.", valueName: "time"),
    transform: Parse.instant)
  var at: Instant?

  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "How to answer: table, json or jsonl.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      var count = 0
      if format == .json { Console.print("[") }
      try options.read { (view) throws(LedgerError) in
        let end = to ?? .position(view.position)
        let (first, last) = (try view.position(from), try view.position(end))
        guard first <= last else {
          throw LedgerError(
            .conditionFailed, "--from is position \(first) and --to \(last): turn them round.")
        }
        try view.differences(
          from: from, to: end, account: account, environments: environments.environments, at: at
        ) { difference in
          print(difference, isFirst: count == 0)
          count += 1
          return true
        }
      }
      switch format {
      case .json: Console.print("]")
      case .table: if count == 0 { Console.print("nothing changed") }
      case .jsonl: break
      }
    }
  }

  private func print(_ difference: CustomerDifference, isFirst: Bool) {
    switch format {
    case .table: for line in difference.lines { Console.print(TextTable.printable(line)) }
    case .json, .jsonl:
      var json = JSONText()
      difference.write(to: &json)
      Console.print((isFirst || format == .jsonl ? "" : ",") + json.text)
    }
  }
}
