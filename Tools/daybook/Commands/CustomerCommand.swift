import ArgumentParser
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
      var screen: CustomerScreen?
      try options.read { (view) throws(LedgerError) in
        found = try view.customers(
          matching: id, environments: environments.environments, now: now)
        guard let customer = found.onlyOne else { return }
        screen = CustomerScreen(
          id: id, matches: customer.matches, title: customer.title,
          overview: try view.overview(
            of: customer.reference, environments: environments.environments,
            clocks: clocks.clocks, now: now, eventCountMax: events))
      }
      guard let screen else { return try refuse(found) }
      switch format {
      case .table: screen.printText()
      case .json, .jsonl:
        Console.declare(columns: CustomerScreen.columns)
        Console.print(screen.json)
      }
    }
  }

  /// Reports that nobody has the id, and who was probably meant; refuses an id that several have.
  private func refuse(_ found: [CustomerAnswer]) throws {
    let id = TextTable.printable(id.text)
    let listed = found.prefix(Self.listedMax).map { customer in
      "  \(customer.title): \(customer.matches.map(\.description).joined(separator: ", "))"
    }
    let more = found.count - listed.count
    let lines =
      listed.map(TextTable.printable)
      + (more > 0 ? ["  and \(more) more: daybook customers --search \(id)"] : [])
    guard found.first?.matches.first?.nearness == .exact else {
      if format != .table {
        var json = JSONText()
        json.object { json in
          json.member("id", self.id)
          json.member("known", false)
          json.member("near", strings: found.map(\.title))
        }
        return Console.print(json.text)
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

extension [CustomerAnswer] {
  /// The customer that an exact id identifies. Among several customers, it is the one found by the
  /// most specific kind of id, if there is only one.
  fileprivate var onlyOne: CustomerAnswer? {
    guard let first else { return nil }
    func best(_ customer: CustomerAnswer) -> Int? {
      customer.matches.filter { $0.nearness == .exact }.map(\.kind.rawValue).min()
    }
    guard let kind = best(first) else { return nil }
    return filter { best($0) == kind }.count == 1 ? first : nil
  }
}
