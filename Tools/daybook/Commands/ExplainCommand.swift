import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

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
    help: ArgumentHelp(
      "The customer's account, and a product or an entitlement. With --transaction or --original "
        + "only the latter, or nothing for the transaction's own product.",
      valueName: "account> <product"),
    completion: Completions.accounts, transform: Parse.name)
  var names: [Name] = []

  @OptionGroup var holder: HolderOptions

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    try holder.refuseSeveral(nil)
    guard holder.references(nil).isEmpty ? names.count == 2 : names.count <= 1 else {
      throw ValidationError(
        "name an account and a product or an entitlement, or --transaction or --original in place "
          + "of the account.")
    }
  }

  private var customer: CustomerReference {
    holder.references(nil).first ?? .account(names[0])
  }

  func run() throws {
    try answering {
      let report = try options.read { (view) throws(LedgerError) in
        try view.explained(
          names.last, of: customer,
          environments: environments.environments, clocks: clocks.clocks,
          now: EventLog.systemClock())
      }
      switch format {
      case .table: report.printText(asOf: clocks.asOf != nil)
      case .json, .jsonl:
        Console.declare(columns: ExplainReport.columns, list: "events")
        Console.print(report.json)
      }
    }
  }
}
