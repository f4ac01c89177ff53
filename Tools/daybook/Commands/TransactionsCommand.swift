import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct TransactionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transactions",
    abstract: "Lists a customer's transactions with their states and downloads.",
    discussion: """
      Prints each transaction as the queue left it, open or finished, with its downloads by \
      device. --ownerless lists the purchases of everybody that no account has, the first one of \
      each chain: `daybook assign` says whose one is. Examples:

        daybook transactions reader-1 --open
        daybook transactions --ownerless
      """)

  @OptionGroup var options: LedgerOptions
  @OptionGroup var customer: OptionalCustomerOptions

  @Flag(help: "Only those that are still on the queue.")
  var open = false

  @Flag(help: "In place of a customer: the purchases that no account has.")
  var ownerless = false

  @Flag(help: "In place of a customer: every transaction of the ledger.")
  var all = false

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    let named = customer.reference != nil
    guard !ownerless || !all else {
      throw ValidationError("--all lists those without an account, too: leave out --ownerless.")
    }
    guard named != (ownerless || all) else {
      throw ValidationError(
        named
          ? "--\(all ? "all" : "ownerless") is about everybody: leave out the customer."
          : "name an account, --transaction or --original, or say --ownerless or --all.")
    }
  }

  func run() throws {
    guard let customer = customer.reference else { return try answering { try listEverybodys() } }
    try answering {
      var answer = try options.read { (view) throws(LedgerError) in
        try view.transactions(
          of: customer, environments: environments.environments, clocks: clocks.clocks)
      }
      if open { answer.entries.removeAll { !$0.isOnQueue } }
      switch format {
      case .table: answer.printTable(of: customer)
      case .jsonl:
        Console.declare(columns: TransactionsAnswer.columns)
        for entry in answer.entries {
          var json = JSONText()
          entry.write(to: &json)
          Console.print(json.text)
        }
      case .json: Console.print(answer.json(of: customer))
      }
    }
  }
}

extension TransactionsCommand {
  /// Prints the transactions of every customer, or the purchases of nobody, as they are found.
  private func listEverybodys() throws {
    var printer = ListPrinter<TransactionsAnswer.Entry>(
      format,
      header: ["transaction", "product", "account", "state", "bought", "environment"],
      columns: TransactionsAnswer.columns,
      nothing: ownerless ? "every purchase has an account" : "no transactions",
      row: { entry in
        [
          entry.transaction?.text ?? entry.payment.map { "payment \($0.text)" } ?? "-",
          String(cell: entry.product), String(cell: entry.account), entry.stateText,
          String(cell: entry.purchasedAt ?? entry.reportedAt), entry.environment.text,
        ]
      },
      write: { entry, json in entry.write(to: &json) })
    try options.read { (view) throws(LedgerError) in
      try view.contents(
        environments: environments.environments, clocks: clocks.clocks,
        now: EventLog.systemClock()
      ) { (unit) throws(LedgerError) in
        let found =
          ownerless
          ? try view.ownerless(unit.transactions, clocks: clocks.clocks) : unit.transactions
        for entry in found where !open || entry.isOnQueue { printer.add(entry) }
        return !Console.isOutputLost
      }
    }
    printer.end()
  }
}

extension TransactionsAnswer {
  fileprivate func printTable(of customer: CustomerReference) {
    guard isKnown else {
      Console.print("\(customer.description) is not known to the ledger (position \(position))")
      return
    }
    var table = TextTable([
      "transaction", "product", "state", "on the queue", "since", "download", "device", "progress",
    ])
    for entry in entries {
      let since = entry.reportedAt ?? entry.purchasedAt
      let own = [
        entry.transaction?.text ?? entry.payment.map { "payment \($0.text)" } ?? "-",
        String(cell: entry.product), entry.stateText, entry.queueText, String(cell: since),
      ]
      if entry.downloads.isEmpty { table.add(own + ["-", "-", "-"]) }
      for (index, download) in entry.downloads.enumerated() {
        let before = index == 0 ? own : [String](repeating: "", count: own.count)
        table.add(
          before + [
            download.download.text + (download.contentVersion.map { " \($0.text)" } ?? ""),
            String(cell: download.device), download.progressText,
          ])
      }
    }
    if table.isEmpty {
      Console.print("no transactions")
    } else {
      table.lines.forEach(Console.print)
    }
  }
}
