import ArgumentParser
import LedgerEvents
import LedgerStore
import LocalTime
import Replay

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays recorded events step by step: what each changed, and which rule it broke.",
    discussion: """
      Reads a trace (JSON Lines) or a slice of the ledger, in the order in which its events were \
      recorded. The findings, and what is still broken at the end, come last. Example:

        daybook replay Tools/samples/incidents/copied-too-late.jsonl --until finding
      """)

  @OptionGroup var source: ReplaySource

  @OptionGroup(title: "What if") var edits: EditOptions

  @Option(
    help: ArgumentHelp(
      "Stop at a position, at a time, or at the first finding.",
      valueName: "position|time|finding"),
    transform: Self.end)
  var until: ReplayEnd?

  @Option(
    help: ArgumentHelp(
      "Write a self-contained HTML page instead of the steps.", valueName: "file"))
  var html: String?

  @Flag(help: "With --html: replace an existing file.")
  var force = false

  @Flag(help: "Go through the steps by key press, forwards and backwards; needs a terminal.")
  var step = false

  @Option(help: "Output format: table, json, or jsonl (a step a line).")
  var format: OutputFormat = .table

  func validate() throws {
    if html != nil && format != .table {
      throw ValidationError("--html writes a page: leave out --format.")
    }
    if force && html == nil { throw ValidationError("--force needs --html.") }
    guard step else { return }
    if html != nil || format != .table {
      throw ValidationError("--step is interactive: leave out --html and --format.")
    }
    try StepScreen.check()
  }

  func run() throws {
    try answering {
      let source = try source.events()
      let edited = try edited(source)
      let events = edited?.events ?? source
      if let html {
        let name = [self.source.title] + (edited?.notes.map(\.text) ?? [])
        let page = try ReplayPageFile(
          OutputPlace(
            path: html, replaces: force, ledger: self.source.options.path,
            inputs: self.source.files))
        try page.write(name.joined(separator: ", "), events, until: until)
      }
      let printer = ReplayPrinter(format)
      if step {
        try walk(events)
      } else if html == nil {
        printer.begin()
        let outcome = Replay(events).run(until: until) { step in
          printer.print(step)
        }
        printer.end(outcome)
      }
      if let edited { try compare(source, edited, printer) }
      printer.close()
    }
  }

  private func walk(_ events: ReplayEvents) throws {
    let history = ReplayHistory(Replay(events), until: until)
    guard !history.steps.isEmpty else {
      Console.print("0 steps: there is nothing to show")
      return
    }
    var screen = StepScreen(source.title, history)
    try screen.run()
  }

  /// The events with the edits of the command line; nil where there are none.
  private func edited(_ source: ReplayEvents) throws -> EditedEvents? {
    if edits.isEmpty { return nil }
    let edits = try edits.edits()
    do throws(ReplayEditError) { return try EditedEvents(source, edits) } catch {
      throw InputProblem(error.description)
    }
  }

  private func compare(
    _ source: ReplayEvents, _ edited: EditedEvents, _ printer: ReplayPrinter
  ) throws {
    let difference = OutcomeDifference(
      from: ReplayHistory(Replay(source), until: until),
      to: ReplayHistory(Replay(edited.events), until: until))
    printer.print(difference, of: edited)
  }

  private static func end(_ text: String) throws -> ReplayEnd {
    if text == "finding" { return .finding }
    if let position = UInt64(text), position > 0 { return .position(position) }
    do throws(SpokenTimeError) {
      return .time(try TimeFrame.times.moment(text, or: "a position (1200)", "finding"))
    } catch {
      throw ValidationError(error.message)
    }
  }
}
