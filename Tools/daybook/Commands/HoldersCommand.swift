import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct HoldersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holders",
    abstract: "Lists the customers who have a product or an entitlement.",
    discussion: """
      Prints each account that has it, with its state and since when. Example:

        daybook holders com.example.reader.pro --state active --format jsonl
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(
    help: "The product or entitlement.", completion: Completions.products, transform: Parse.name)
  var product: Name

  @Option(help: "Only in this state (default: any; repeatable).")
  var state: [StateArgument] = []

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let states = Set(state.map(\.state))
      var printer = ListPrinter<HolderAnswer>(
        format, header: ["account", "product", "state", "since", "expires", "environment"],
        columns: HolderAnswer.columns, nothing: "no holders",
        row: { holder in
          [
            holder.account.text, holder.product?.text ?? holder.entitlement?.text ?? "-",
            holder.state.text, holder.since.shown, String(cell: holder.expiresAt),
            holder.environment.text,
          ]
        },
        write: { holder, json in holder.write(to: &json) })
      try options.read { (view) throws(LedgerError) in
        try view.holders(
          of: product, environments: environments.environments, clocks: clocks.clocks,
          now: EventLog.systemClock()
        ) { holder in
          if states.isEmpty || states.contains(holder.state) { printer.add(holder) }
          return !Console.isOutputLost
        }
      }
      printer.end()
    }
  }
}

/// A state of an entitlement by its name.
struct StateArgument: ExpressibleByArgument {
  let state: EntitlementState

  init?(argument: String) {
    guard let found = EntitlementState.allCases.first(where: { $0.text == argument }) else {
      return nil
    }
    state = found
  }

  static var allValueStrings: [String] { EntitlementState.allCases.map(\.text) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
