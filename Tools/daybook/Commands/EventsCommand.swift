import ArgumentParser
import LedgerEvents
import LedgerStore
import ProductPages

struct EventsCommand: ParsableCommand {
  /// What events are counted by.
  enum Grouping: String, ExpressibleByArgument, CaseIterable {
    case type, product, day, appVersion, systemVersion, account, device, source, environment, app
  }

  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "The events themselves: as they were appended, with position and recordedAt.",
    discussion: """
      Reads the ledger and writes JSON Lines by position; what is written can be appended \
      elsewhere. An account's events are all of its customer's, also those that state no \
      account; --environment takes events that state it. Example:

        daybook events --account reader-1 --type "download.*" --since 2026-02-01T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions
  @OptionGroup var filter: EventFilterOptions
  @OptionGroup var clocks: ClockOptions

  @Option(help: "At most so many.")
  var limit: UInt64?

  @Flag(help: "The newest position first.")
  var reverse = false

  @Flag(help: "Goes on with what is appended, until it is interrupted.")
  var follow = false

  @Flag(help: "Only how many there are.")
  var count = false

  @Option(help: "How many by each value.")
  var by: Grouping?

  @Option(help: "How to answer: jsonl, json or table (default: jsonl; a table for counts).")
  var format: OutputFormat?

  func validate() throws {
    guard follow else { return }
    let others: [(String, Bool)] = [
      ("--reverse", reverse), ("--count", count), ("--by", by != nil), ("--to", filter.to != nil),
      ("--until", filter.until != nil), ("--at", clocks.at != nil), ("--as-of", clocks.asOf != nil),
      ("--format json", format == .json), ("--format table", format == .table),
    ]
    if let other = others.first(where: \.1) {
      throw ValidationError("--follow does not go with \(other.0).")
    }
  }

  func run() throws {
    try answering {
      let ledger = try Ledger(at: options.path, access: .readOnly)
      var query = filter.query
      query.clocks = clocks.clocks
      query.isReverse = reverse
      if by != nil || count {
        try printCounts(of: query, ledger)
      } else {
        try printEvents(of: query, ledger)
      }
    }
  }

  private func printEvents(of query: EventsQuery, _ ledger: Ledger) throws {
    var reader = EventPages(ledger, query, limit: limit)
    switch format ?? .jsonl {
    case .jsonl:
      let encoder = EventEncoder()
      while true {
        while let page = try reader.next() {
          for event in page { Console.print(bytes: encoder.encode(event)) }
        }
        guard follow, !reader.isLimitReached else { return }
        Console.flush()
        try reader.waitForMore()
      }
    case .json:
      let encoder = EventEncoder()
      var isFirst = true
      while let page = try reader.next() {
        for event in page {
          Console.print(bytes: [UInt8(ascii: isFirst ? "[" : ",")] + encoder.encode(event))
          isFirst = false
        }
      }
      Console.print(isFirst ? "[]" : "]")
    case .table:
      var table = TextTable([
        "position", "occurred", "type", "account", "transaction", "product", "download",
      ])
      while let page = try reader.next() {
        for recorded in page {
          let event = recorded.event
          table.add([
            "\(recorded.position)", event.occurredAt.rfc3339, event.type.text,
            String(cell: event.account), String(cell: event.transaction ?? event.payment),
            String(cell: event.product), String(cell: event.download),
          ])
        }
      }
      if table.isEmpty { Console.print("no events") } else { table.lines.forEach(Console.print) }
    }
  }

  private func printCounts(of query: EventsQuery, _ ledger: Ledger) throws {
    var counts = GroupCounts(by?.rawValue ?? "")
    var left = limit ?? .max
    try ledger.read { (view) throws(LedgerError) in
      var versions: SessionVersions?
      if by == .appVersion || by == .systemVersion {
        versions = try view.sessionVersions(clocks: query.clocks)
      }
      try view.events(query) { recorded in
        if left == 0 { return false }
        left -= 1
        counts.add(key(of: recorded.event, versions))
        return true
      }
    }
    let format = format ?? .table
    if by == nil { GroupCounts.print(total: counts.total, format) } else { counts.print(format) }
  }

  private func key(of event: Event, _ versions: SessionVersions?) -> Name? {
    switch by {
    case .type: Name(event.type.text)
    case .product: event.product
    case .day: event.occurredAt.dayName
    case .appVersion: versions?.versions(of: event).app.map { Name($0) }
    case .systemVersion: versions?.versions(of: event).system.map { Name($0) }
    case .account: event.account
    case .device: event.device
    case .source: Name((event.source ?? EventSource(.app)).text)
    case .environment: event.environment.map { Name($0.text) }
    case .app: event.app
    case nil: nil
    }
  }
}

/// Which events are asked for.
struct EventFilterOptions: ParsableArguments {
  @Option(help: "All events of the customer that this account is.", transform: Parse.name)
  var account: Name?

  @Option(help: "Of this device.", transform: Parse.name)
  var device: Name?

  @Option(help: "Of this app (a bundle identifier).", transform: Parse.name)
  var app: Name?

  @Option(help: "That state this environment.")
  var environment: EnvironmentArgument?

  @Option(help: "Of this transaction.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: "That state this original transaction, and those of the transaction itself.",
    transform: Parse.name)
  var original: Name?

  @Option(help: "That state this product.", transform: Parse.name)
  var product: Name?

  @Option(help: "That state this download.", transform: Parse.name)
  var download: Name?

  @Option(help: "Of this type; * stands for anything, as in \"download.*\".")
  var type: String?

  @Option(help: "From this source.")
  var source: String?

  @Option(
    help: ArgumentHelp(
      "Product pages of this item: its number, or a link to it.", valueName: "item"),
    transform: Parse.storeItem)
  var storeItem: StoreItem?

  @Option(
    help: ArgumentHelp("That occurred at this time or later.", valueName: "time"),
    transform: Parse.instant)
  var since: Instant?

  @Option(
    help: ArgumentHelp("That occurred before this time.", valueName: "time"),
    transform: Parse.instant)
  var until: Instant?

  @Option(
    help: ArgumentHelp("From this position on.", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp("Up to this position.", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

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
    query.source = source.map { EventSource(text: $0) }
    query.storeItem = storeItem?.description
    query.since = since
    query.until = until
    if let from { query.from = from }
    if let to { query.to = to }
    return query
  }
}
