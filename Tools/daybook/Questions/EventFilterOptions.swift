import ArgumentParser
import LedgerEvents
import LedgerQueries
import ProductPages

/// The events that a question is about.
struct EventFilterOptions: ParsableArguments {
  @Option(
    help: "All events of this customer, by account.", completion: Completions.accounts,
    transform: Parse.name)
  var account: Name?

  @Option(help: "Events of this device.", completion: Completions.devices, transform: Parse.name)
  var device: Name?

  @Option(help: "Events of this app (a bundle identifier).", transform: Parse.name)
  var app: Name?

  @Option(help: "Events that state this environment.")
  var environment: EnvironmentArgument?

  @Option(help: "Events of this transaction.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: "Events that state this original transaction, and those of the transaction itself.",
    transform: Parse.name)
  var original: Name?

  @Option(
    help: "Events that state this product.", completion: Completions.products, transform: Parse.name
  )
  var product: Name?

  @Option(help: "Events that state this download.", transform: Parse.name)
  var download: Name?

  @Option(
    help: "Events of this type; * stands for anything, as in \"download.*\".",
    completion: Completions.types, transform: TypePatternArgument.pattern)
  var type: String?

  @Option(help: "Events from this source.", completion: Completions.sources, transform: Parse.name)
  var source: Name?

  @Option(
    help: ArgumentHelp(
      "Product pages of this item: its number, or a link to it.", valueName: "item"),
    transform: Parse.storeItem)
  var storeItem: StoreItem?

  @OptionGroup var period: PeriodOptions

  @Option(
    help: ArgumentHelp("Events from this position on.", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp("Events up to this position.", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

  func validate() throws {
    try Parse.refuseTurned(from: from, to: to)
  }

  var query: EventsQuery {
    var query = EventsQuery()
    query.account = account
    query.device = device
    query.app = app
    query.environment = environment?.environment
    query.transaction = transaction
    query.original = original
    query.product = product
    query.download = download
    query.type = type
    query.source = source.map { EventSource(text: $0.text) }
    query.storeItem = storeItem?.description
    query.since = period.since
    query.until = period.until
    if let from { query.from = from }
    if let to { query.to = to }
    return query
  }
}
