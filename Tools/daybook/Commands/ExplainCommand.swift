import ArgumentParser
import Audit
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

  /// What is asked for: the given name, or the product of the given transaction.
  private func product(_ view: LedgerView) throws(LedgerError) -> Name {
    if let last = names.last { return last }
    let entries = try view.transactions(
      of: customer, environments: environments.environments, clocks: clocks.clocks
    ).entries
    let named =
      entries.first { $0.transaction == holder.transaction ?? holder.original }
      ?? entries.first { $0.originalTransaction == holder.original && holder.original != nil }
    guard let product = named?.product else {
      throw LedgerError(
        .notFound,
        "No event says which product \(customer.description) is about: name the product, too.")
    }
    return product
  }

  func run() throws {
    try answering {
      let report = try options.read { (view) throws(LedgerError) in
        let found = try view.explain(
          product(view),
          for: view.account(
            of: customer, environments.environments, clocks.clocks),
          environments: environments.environments, clocks: clocks.clocks,
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
