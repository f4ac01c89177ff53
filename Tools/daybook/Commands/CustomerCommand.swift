import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct CustomerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "customer",
    abstract: "Shows everything that support asks first about one customer.",
    discussion: """
      Takes any id of the customer: an account, a transaction, an original transaction, a payment, \
      a device or an order. Prints what the customer is entitled to and when that changes next, \
      balances, devices with installed versions, open transactions, findings with advice, and the \
      last events. Example:

        daybook customer reader-1
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "Any id of the customer.", transform: Parse.name)
  var id: Name

  @Option(
    help: ArgumentHelp("How many of the newest events to print.", valueName: "count"))
  var events: Int = 10

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard events >= 0 else { throw ValidationError("--events is a whole number from 0.") }
  }

  func run() throws {
    try answering {
      let now = EventLog.systemClock()
      var found: [CustomerAnswer] = []
      var document: CustomerDocument?
      try options.read { (view) throws(LedgerError) in
        found = try view.customers(
          matching: id, environments: environments.environments, now: now)
        guard let customer = found.onlyOne else { return }
        document = CustomerDocument(
          id: id, customer,
          try view.overview(
            of: customer.reference, environments: environments.environments,
            clocks: clocks.clocks, now: now, eventCountMax: events))
      }
      guard let document else { return try refuse(found) }
      switch format {
      case .table: document.printText()
      case .json, .jsonl:
        Console.declare(columns: CustomerDocument.columns)
        Console.print(document.json)
      }
    }
  }

  /// Reports that nobody has the id, and who was probably meant; refuses an id that several have.
  private func refuse(_ found: [CustomerAnswer]) throws {
    let id = id.text.printable
    let listed = found.prefix(Self.listedMax).map { customer in
      "  \(customer.title): \(customer.matches.map(\.description).joined(separator: ", "))"
    }
    let more = found.count - listed.count
    let lines =
      listed.map(\.printable)
      + (more > 0 ? ["  and \(more) more: daybook customers --search \(id)"] : [])
    guard found.first?.matches.first?.nearness == .exact else {
      if format != .table {
        return Console.print(CustomerDocument.json(unknown: self.id, near: found))
      }
      Console.print("no event states the id \(id)")
      if !lines.isEmpty { Console.print("similar ids:") }
      return lines.forEach(Console.print)
    }
    throw InputProblem(
      "\(found.count) customers have the id \(id); ask for one of them:\n"
        + lines.joined(separator: "\n"), exitCode: ExitStatus.usage)
  }

  /// How many customers a message lists.
  private static let listedMax = 10
}
