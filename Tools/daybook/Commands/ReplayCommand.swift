import ArgumentParser
import LedgerEvents
import LedgerStore
import Replay

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Folds recorded events step by step: what each changed, which rule it broke.",
    discussion: """
      Reads a trace (JSON Lines) or a slice of the ledger, in the order in which events were \
      recorded. At the end stand the findings, and what is still broken then. Example:

        daybook replay Tools/samples/incidents/copied-too-late.jsonl --until finding
      """)

  @OptionGroup var source: ReplaySource

  @Option(
    help: ArgumentHelp(
      "Stops at a position, at a time, or at the first finding.",
      valueName: "position|time|finding"),
    transform: Self.end)
  var until: ReplayEnd?

  @Option(
    help: ArgumentHelp(
      "Writes one page of HTML that needs nothing else, in place of the steps.", valueName: "file"))
  var html: String?

  @Option(help: "How to answer: table, json, or jsonl (a step a line).")
  var format: OutputFormat = .table

  func validate() throws {
    if html != nil && format != .table {
      throw ValidationError("--html writes a page: leave out --format.")
    }
  }

  func run() throws {
    try answering {
      let events = try source.events()
      if let html { return try ReplayPageFile(html).write(source.title, events, until: until) }
      let printer = ReplayPrinter(format)
      printer.begin()
      let outcome = Replay(events).run(until: until) { step in printer.print(step) }
      printer.end(outcome)
    }
  }

  private static func end(_ text: String) throws -> ReplayEnd {
    if text == "finding" { return .finding }
    if let position = UInt64(text), position > 0 { return .position(position) }
    if let instant = Instant(rfc3339: text) { return .time(instant) }
    throw ValidationError(
      "expected a position, a time of RFC 3339 with an offset, or the word finding.")
  }
}
