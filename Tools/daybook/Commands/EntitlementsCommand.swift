import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct EntitlementsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entitlements",
    abstract: "What a customer has: products, entitlements, balances.",
    discussion: """
      Prints one entry per product, for the best of the purchases and grants that give it. For an \
      unknown account the answer is empty and says so. Example:

        daybook entitlements reader-1 --at 2026-02-01T12:00:00Z --format json
      """)

  @OptionGroup var options: LedgerOptions
  @OptionGroup var customer: CustomerOptions
  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    let customer = self.customer.reference
    try answering {
      let (answer, unverified) = try options.read {
        (view) throws(LedgerError) -> (EntitlementsAnswer, Set<Name>) in
        let answer = try view.entitlements(
          of: customer, environments: environments.environments, clocks: clocks.clocks,
          now: EventLog.systemClock())
        return (answer, try view.unverified(in: answer))
      }
      switch format {
      case .table: answer.printTable(of: customer, unverified)
      case .json, .jsonl:
        Console.declare(columns: EntitlementsAnswer.columns, list: "entitlements")
        Console.print(answer.json(of: customer, unverified))
      }
    }
  }
}

extension EntitlementsAnswer {

  fileprivate func printTable(of customer: CustomerReference, _ unverified: Set<Name>) {
    let moment = "at \(at.shown), position \(position)"
    // What was transferred to an account can be all that is known of it.
    guard isKnown || !entries.isEmpty || !balances.isEmpty else {
      Console.print("\(customer.description) is not known to the ledger (\(moment))")
      return
    }
    Console.print("\(customer.description), \(moment)")
    var table = TextTable(["product", "entitlements", "state", "since", "expires", "source"])
    for entry in entries { table.add(entry.row(unverified)) }
    if table.isEmpty {
      Console.print("no entitlements")
    } else {
      table.lines.forEach(Console.print)
    }
    for balance in balances {
      Console.print("balance \(balance.unit.text.printable): \(balance.amount)")
    }
    if let nextChangeAt {
      Console.print("changes at \(nextChangeAt.shown) even without a new event")
    }
  }
}

extension EntitlementsAnswer.Entry {
  /// Product, entitlements, state, since, expires and source.
  ///
  /// - Parameter unverified: The transactions that nobody verified.
  func row(_ unverified: Set<Name>) -> [String] {
    let isUnverified = !unverified.isDisjoint(with: transactions)
    return [
      product?.text ?? entitlement?.text ?? "-",
      entitlements.isEmpty ? "-" : entitlements.map(\.text).joined(separator: ", "),
      state.text, since.shown, String(cell: expiresAt),
      source == .operator ? "operator" : isUnverified ? "store, not verified" : "store",
    ]
  }
}
