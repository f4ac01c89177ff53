import ArgumentParser
import Audit
import LedgerEvents
import LedgerModel
import LedgerStore

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Why a customer is, or is not, entitled to a product or an entitlement.",
    discussion: """
      Prints the events that decide it, in order: what each says, what changed with it, and what \
      the customer would have without it. Then it lists the devices that have the content and \
      those that do not, the findings, and what to do. With --as-of it also prints what the ledger \
      has learned since about the same store time. Example:

        daybook explain reader-1 pro --at 2026-02-01T12:00:00Z --as-of 1200
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(
    help: "The customer's account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @Argument(
    help: "A product, or an entitlement.", completion: Completions.products, transform: Parse.name)
  var product: Name

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let report = try options.read { (view) throws(LedgerError) in
        let found = try view.explain(
          product, for: account, environments: environments.environments, clocks: clocks.clocks,
          now: EventLog.systemClock())
        return ExplainReport(
          explanation: found,
          circumstances: try view.circumstances(of: found, clocks: clocks.clocks))
      }
      switch format {
      case .table: report.printText(asOf: clocks.asOf != nil)
      case .json, .jsonl:
        Console.declare(
          columns: [
            "account", "name", "at", "has", "because", "position", "occurredAt", "recordedAt",
            "source", "type", "text", "before", "after", "without",
          ], list: "events")
        Console.print(report.json)
      }
    }
  }
}
