import ArgumentParser
import Foundation
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

  @OptionGroup var options: LedgerOptions

  @Argument(help: "A trace of events, one a line (- is standard input); none goes with a slice.")
  var source: String?

  @Option(help: "A slice of the ledger: this customer's events.", transform: Parse.name)
  var account: Name?

  @Option(help: "A slice of the ledger: this transaction's events.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: ArgumentHelp("A slice of the ledger: from this position on.", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp("A slice of the ledger: up to this position.", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

  @Option(
    help: ArgumentHelp(
      "Stops at a position, at a time, or at the first finding.",
      valueName: "position|time|finding"),
    transform: Self.end)
  var until: ReplayEnd?

  @Option(help: "How to answer: table, json, or jsonl (a step a line).")
  var format: OutputFormat = .table

  private var isSlice: Bool {
    account != nil || transaction != nil || from != nil || to != nil
  }

  func validate() throws {
    if source != nil && isSlice {
      throw ValidationError(
        "a trace is replayed whole: leave out --account, --transaction, --from and --to, or the "
          + "file.")
    }
    if source == nil && !isSlice {
      throw ValidationError(
        "name a trace, or a slice of the ledger by --account, --transaction, --from or --to.")
    }
  }

  func run() throws {
    try answering {
      let events: ReplayEvents
      if let source { events = try Self.trace(source) } else { events = try slice() }
      let printer = ReplayPrinter(format)
      printer.begin()
      let outcome = Replay(events.events, steps: events.steps).run(until: until) { step in
        printer.print(step)
      }
      printer.end(outcome)
    }
  }

  private func slice() throws -> ReplayEvents {
    var slice = ReplaySlice()
    slice.account = account
    slice.transaction = transaction
    if let from { slice.from = from }
    if let to { slice.to = to }
    return try options.read { (view) throws(LedgerError) in try view.replayEvents(slice) }
  }

  /// The events of a file as a ledger would hold them after appending it; the ledger's clock stood
  /// at `recordedAt` where a line says so, else at `occurredAt`.
  private static func trace(_ name: String) throws -> ReplayEvents {
    let bytes = try AppendSource(checking: name).open()
    var cutter = LineCutter()
    var lines: [InputLine] = []
    while let chunk = try bytes.next(until: .distantFuture) { lines += cutter.add(chunk) }
    if let line = cutter.end() { lines.append(line) }
    var known: [Name: Event] = [:]
    var events: [RecordedEvent] = []
    for line in lines {
      let input: EventInput
      do throws(EventError) {
        input = try EventDecoder().decode(line: line.bytes, number: line.number)
      } catch {
        throw InputProblem("\(name): \(error)")
      }
      if let first = known.updateValue(input.event, forKey: input.event.id) {
        guard first.sameContent(as: input.event) else {
          throw InputProblem(
            "\(name): line \(line.number): id: another event of this file has this id and other "
              + "content; give each event an id of its own.")
        }
        continue
      }
      events.append(
        RecordedEvent(
          position: UInt64(events.count + 1),
          recordedAt: input.recordedAt ?? input.event.occurredAt, event: input.event))
    }
    return ReplayEvents(events: events, steps: Set(events.map(\.position)))
  }

  private static func end(_ text: String) throws -> ReplayEnd {
    if text == "finding" { return .finding }
    if let position = UInt64(text), position > 0 { return .position(position) }
    if let instant = Instant(rfc3339: text) { return .time(instant) }
    throw ValidationError(
      "expected a position, a time of RFC 3339 with an offset, or the word finding.")
  }
}
