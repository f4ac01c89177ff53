import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Prints events as they were appended, with position and recordedAt.",
    discussion: """
      Prints events as JSON Lines in order of position; the lines can be appended to another \
      ledger. --account selects all events of a customer, including those that state no account. \
      --environment selects events that state it.

      --sum adds up sales, refunds, reversals and revocations. Each transaction is counted once, \
      whichever sources report it (docs/export.md). The filters then apply to the event that \
      decides an entry, and only production counts unless --environment names another \
      environment. Example:

        daybook events --account reader-1 --type "download.*" --since 2026-02-01T00:00:00Z
        daybook events --sum price --by month,product --as-of 2026-04-02T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions
  @OptionGroup var filter: EventFilterOptions
  @OptionGroup var clocks: ClockOptions

  @Option(help: "Print at most this many.")
  var limit: UInt64?

  @Flag(help: "Newest position first.")
  var reverse = false

  @Flag(help: "Keep printing events as they are appended, until interrupted.")
  var follow = false

  @Flag(help: "Print only the count.")
  var count = false

  @Option(
    help: ArgumentHelp(
      "Count by a value, or by several separated by commas, such as day,product.",
      valueName: "value,…"))
  var by: Dimensions<EventDimension>?

  @Option(
    help: ArgumentHelp(
      "Add up price, quantity or price,quantity of what was sold and refunded.",
      valueName: "what"))
  var sum: Dimensions<Summand>?

  @Flag(help: "With --sum price: sales net of refunds, one line for each group and currency.")
  var net = false

  @Option(
    help: ArgumentHelp(
      "With --sum price: convert amounts by the exchange rates in this file (docs/export.md).",
      valueName: "file"))
  var rates: String?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat?

  func validate() throws {
    if sum != nil {
      let others = [
        ("--count", count), ("--limit", limit != nil), ("--reverse", reverse), ("--follow", follow),
      ]
      if let other = others.first(where: \.1) {
        throw ValidationError("--sum cannot be combined with \(other.0): it adds up everything.")
      }
    }
    for option in [("--net", net), ("--rates", rates != nil)] where option.1 {
      guard sum?.list == [.price] else {
        throw ValidationError("\(option.0) needs --sum price: it is about money alone.")
      }
    }
    guard follow else { return }
    let others: [(String, Bool)] = [
      ("--reverse", reverse), ("--count", count), ("--by", by != nil), ("--to", filter.to != nil),
      ("--until", filter.period.until != nil), ("--at", clocks.at != nil),
      ("--as-of", clocks.asOf != nil),
      ("--format json", format == .json), ("--format table", format == .table),
    ]
    if let other = others.first(where: \.1) {
      throw ValidationError("--follow cannot be combined with \(other.0).")
    }
  }

  func run() throws {
    try answering {
      let ledger = try Ledger(at: options.path, access: .readOnly)
      try FilterWords.refuseUnknown(filter.query, isLasting: follow, ledger)
      var query = filter.query
      query.clocks = clocks.clocks
      query.isReverse = reverse
      if let sum {
        try printSums(of: query, sum.list, ledger)
      } else if by != nil || count {
        try printCounts(of: query, ledger)
      } else {
        try printEvents(of: query, ledger)
      }
    }
  }

  private func printEvents(of query: EventsQuery, _ ledger: Ledger) throws {
    var reader = EventPages(ledger, query, limit: limit)
    Console.declare(columns: EnvelopeField.allCases.map(\.rawValue))
    switch format ?? .jsonl {
    case .jsonl:
      let encoder = EventEncoder()
      while true {
        while !Console.isOutputLost, let page = try reader.next() {
          for event in page { Console.print(bytes: encoder.encode(event)) }
        }
        Console.flush()
        guard follow, !reader.isLimitReached, !Console.isOutputLost else { return }
        try reader.waitForMore()
      }
    case .json:
      let encoder = EventEncoder()
      var isFirst = true
      while !Console.isOutputLost, let page = try reader.next() {
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
            "\(recorded.position)", event.occurredAt.shown, event.type.text,
            String(cell: event.account), String(cell: event.transaction ?? event.payment),
            String(cell: event.product), String(cell: event.download),
          ])
        }
      }
      if table.isEmpty { Console.print("no events") } else { table.lines.forEach(Console.print) }
    }
  }

  private func printCounts(of query: EventsQuery, _ ledger: Ledger) throws {
    let counts = try ledger.read { (view) throws(LedgerError) in
      try view.counts(
        of: query, by: by?.list ?? [], limit: limit ?? .max, zone: TimeFrame.zone)
    }
    let format = format ?? .table
    if by == nil { GroupCounts.print(total: counts.total, format) } else { counts.print(format) }
  }

  private func printSums(
    of query: EventsQuery, _ summands: [Summand], _ ledger: Ledger
  ) throws {
    let rates = try rates.map { try ExchangeRates(file: $0) }
    let table = try ledger.read { (view) throws(LedgerError) in
      try view.sums(
        of: query, summands, by: by?.list ?? [], rates: rates, zone: TimeFrame.zone)
    }
    if let posting = table.withoutRate {
      let what = posting.currency.map { "in \($0.text)" } ?? "without a currency"
      throw InputProblem(
        "--rates: no rate for the price \(what) at position \(posting.event.position), "
          + "\(posting.event.event.occurredAt.rfc3339): add one to the file.")
    }
    if net { try table.printNet(format ?? .table) } else { try table.print(format ?? .table) }
  }
}
