import ArgumentParser
import LedgerEvents
import LedgerQueries
import ProductCatalogue

struct CatalogShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows each product with its prices by storefront.",
    discussion: """
      Reads the ledger and writes each product of the seller's catalogue in force, and of the \
      store's responses, with its prices by storefront as people there read them. --history shows \
      how the prices of one product changed. --invalid shows which identifiers the store did not \
      know, and what that points to. --payments shows which devices may not pay, and what was \
      tried on them. \
      Example:

        daybook catalog show --product example.tides.atlas --history
      """)

  @OptionGroup var options: LedgerOptions

  @Flag(help: "How the prices of --product changed, storefront by storefront.")
  var history = false

  @Flag(help: "Identifiers that the store did not know, and requests that failed.")
  var invalid = false

  @Flag(help: "Devices that may not pay, and what was tried on them anyway.")
  var payments = false

  @Option(help: "Only this product.", completion: Completions.products, transform: Parse.name)
  var product: Name?

  @Option(help: "Only prices in this storefront (a country code, such as JPN or JP).")
  var storefront: String?

  @Option(help: "The bundle identifier (default: any app).", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment to ask in (default: production).")
  var environment: EnvironmentArgument?

  @OptionGroup var clocks: ClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if [history, invalid, payments].count(where: { $0 }) > 1 {
      throw ValidationError("ask one of: --history, --invalid, --payments.")
    }
    if history && product == nil {
      throw ValidationError("--history is of one product: name it with --product.")
    }
    if storefront != nil && (invalid || payments) {
      throw ValidationError("--storefront goes with prices, not with --invalid or --payments.")
    }
    if product != nil && payments {
      throw ValidationError("--payments is about devices: it takes no --product.")
    }
    if storefront?.isEmpty ?? false {
      throw ValidationError("expected a storefront such as JPN, found nothing.")
    }
  }

  func run() throws {
    try answering {
      if history {
        try printHistory()
      } else if invalid {
        try printInvalid()
      } else if payments {
        try printPayments()
      } else {
        try printListing()
      }
    }
  }

  var query: CatalogueQuery {
    CatalogueQuery(
      environment: environment?.environment ?? .production, app: app,
      storefront: storefront.map { Storefront($0) }, product: product, clocks: clocks.clocks,
      now: EventLog.systemClock())
  }
}
