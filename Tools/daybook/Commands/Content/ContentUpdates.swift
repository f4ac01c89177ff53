import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct ContentUpdates: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "updates",
    abstract: "Shows who has which content, what is on offer, and which customers to notify.",
    discussion: """
      The store announces no new version of content: the app asks its backend. Prints \
      how many devices of owners have each product's version on offer, an older one, or none; \
      then each device to notify, as it is found. Example:

        daybook content updates --product com.example.atlas --format jsonl
      """)

  @OptionGroup var options: LedgerOptions

  @Option(help: "Only this device.", completion: Completions.devices, transform: Parse.name)
  var device: Name?

  @Option(help: "Only this product.", completion: Completions.products, transform: Parse.name)
  var product: Name?

  @Flag(help: "Print only the counts.")
  var count = false

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let query = ContentUpdatesQuery(
        environments: environments.environments, product: product, device: device,
        clocks: clocks.clocks, now: EventLog.systemClock())
      var printer = UpdatesPrinter(format, isCount: count)
      try options.read { (view) throws(LedgerError) in
        try view.contentUpdates(
          query,
          counts: { printer.print($0) },
          { update in
            if count { return false }
            printer.print(update)
            return true
          })
      }
      printer.end()
    }
  }
}

/// Writes counts and then devices, each as it comes: there may be more of them than fit in memory.
private struct UpdatesPrinter {
  let format: OutputFormat
  let isCount: Bool
  private var shown = 0

  init(_ format: OutputFormat, isCount: Bool) {
    self.format = format
    self.isCount = isCount
  }

  mutating func print(_ counts: [ContentUpdateCounts]) {
    switch format {
    case .table:
      var table = TextTable([
        "product", "environment", "on offer", "current", "behind", "missing", "removed",
        "not owned",
      ])
      for count in counts {
        table.add([
          count.product.text, count.environment.text, count.available.text, "\(count.current)",
          "\(count.behind)", "\(count.missing)", "\(count.removed)", "\(count.notOwned)",
        ])
      }
      if table.isEmpty { Console.print("no content is on offer to any customer") }
      if !table.isEmpty { table.lines.forEach(Console.print) }
    case .json:
      var json = JSONText()
      json.array { json in for count in counts { count.write(to: &json) } }
      Console.print("{\"counts\":\(json.text)" + (isCount ? "}" : ",\"updates\":["))
    case .jsonl:
      for count in counts {
        var json = JSONText()
        count.write(to: &json)
        Console.print(json.text)
      }
    }
    // This gives readers the first part of the answer at once.
    Console.flush()
  }

  mutating func print(_ update: ContentUpdate) {
    switch format {
    case .table:
      if shown == 0 { Console.print("\nto notify:") }
      let device = update.device.map { "on \($0.text)" } ?? "on no known device"
      let version = update.installed.map { "has \($0)" } ?? "has none"
      Console.print(
        ("\(update.account) \(device): \(update.product) \(version), \(update.available) is on "
          + "offer").printable)
    case .json, .jsonl:
      var json = JSONText()
      update.write(to: &json)
      Console.print((format == .json && shown > 0 ? "," : "") + json.text)
    }
    shown += 1
  }

  func end() {
    if format == .json && !isCount { Console.print("]}") }
  }
}
