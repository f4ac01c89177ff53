import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct CustomersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "customers",
    abstract: "Lists customers, or finds them by any id.",
    discussion: """
      With --search, finds customers by account, transaction, original transaction, payment, \
      device, or the store's order where an event's data carries it (orderId, \
      webOrderLineItemId). If nothing has exactly that id, it lists the ids that contain the text, \
      and if none does, those that were probably meant. Without --search it lists every customer \
      whom an account names. Example:

        daybook customers --search 280519054646944
      """)

  @OptionGroup var options: LedgerOptions

  @Option(
    help: ArgumentHelp("An id, or at least 3 letters of one.", valueName: "text"),
    transform: Parse.name)
  var search: Name?

  @Option(help: "Print at most this many.")
  var limit: UInt64?

  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      var printer = ListPrinter<CustomerAnswer>(
        format, header: Self.header(isSearch: search != nil),
        columns: CustomerAnswer.columns, nothing: nothing,
        row: { $0.row(isSearch: search != nil) }, write: { $0.write(to: &$1) })
      let now = EventLog.systemClock()
      var left = limit ?? .max
      var hasMore = false
      func add(_ customer: CustomerAnswer) -> Bool {
        hasMore = left == 0
        guard !hasMore, !Console.isOutputLost else { return false }
        left -= 1
        printer.add(customer)
        return true
      }
      try options.read { (view) throws(LedgerError) in
        let environments = environments.environments
        guard let search else {
          return try view.customers(environments: environments, now: now, add)
        }
        for customer in try view.customers(matching: search, environments: environments, now: now) {
          guard add(customer) else { break }
        }
      }
      printer.end()
      if hasMore, format == .table { Console.print("there are more: --limit shows more") }
    }
  }

  private var nothing: String {
    guard let search else { return "no customers" }
    if search.text.count < CustomerMatch.partLettersMin {
      return "no customer has the id \(search.text.printable); a part of an id needs at "
        + "least \(CustomerMatch.partLettersMin) letters"
    }
    return
      "no customer has an id that is, contains or resembles \(search.text.printable)"
  }

  private static func header(isSearch: Bool) -> [String] {
    ["customer"] + (isSearch ? ["found by"] : [])
      + ["active", "transactions", "open", "newest event"]
  }
}

extension CustomerAnswer {

  fileprivate func row(isSearch: Bool) -> [String] {
    [title]
      + (isSearch ? [matches.map(\.description).joined(separator: ", ")] : [])
      + [
        active.isEmpty ? "-" : active.map(\.text).joined(separator: ", "), "\(transactions)",
        "\(openTransactions)", String(cell: newestEventAt),
      ]
  }
}
