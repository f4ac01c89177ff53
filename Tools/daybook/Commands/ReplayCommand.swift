import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries
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

  @Option(
    help: ArgumentHelp(
      "Write the events as a scenario, with what comes out of them, instead of the steps.",
      valueName: "file"))
  var emit: String?

  @Flag(help: "With --html or --emit: replace an existing file.")
  var force = false

  @Option(
    help: ArgumentHelp(
      """
      Store time: only what had occurred by then, with what was still broken at that time \
      (default: at the newest event).
      """, valueName: "time"),
    transform: Parse.instant)
  var at: Instant?

  @OptionGroup var thresholds: ThresholdOptions

  @Flag(help: "Go through the steps by key press, forwards and backwards; needs a terminal.")
  var step = false

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if html != nil && format != .table {
      throw ValidationError("--html writes a page: leave out --format.")
    }
    if emit != nil && format != .table {
      throw ValidationError("--emit writes a scenario: leave out --format.")
    }
    if emit != nil && (at != nil || !thresholds.threshold.isEmpty) {
      throw ValidationError(
        "--emit writes a scenario, which is always judged at its newest event, with the usual "
          + "thresholds: leave out --at and --threshold.")
    }
    if force && html == nil && emit == nil {
      throw ValidationError("--force needs --html or --emit.")
    }
    guard step else { return }
    if html != nil || emit != nil || format != .table {
      throw ValidationError("--step is interactive: leave out --html, --emit and --format.")
    }
    try StepScreen.check()
  }

  func run() throws {
    try answering {
      let all = try source.events()
      let source = at.map(all.occurred(by:)) ?? all
      let edited = try edited(source)
      let events = edited?.events ?? source
      let name = ([self.source.title] + (edited?.notes.map(\.text) ?? [])).joined(separator: ", ")
      if let html {
        let page = try ReplayPageFile(destination(html))
        try page.write(name, events, history(events))
      }
      if let emit { try EmittedScenario(name, upToTheEnd(events), to: destination(emit)).write() }
      let printer = ReplayPrinter(format)
      if step {
        try walk(events)
      } else if html == nil && emit == nil {
        printer.begin()
        let outcome = Replay(events).run(until: until, judging: judgement) { step in
          printer.print(step)
        }
        printer.end(outcome)
      }
      if let edited { try compare(source, edited, printer) }
      printer.close()
    }
  }

  /// How what is still open at the end is judged.
  private var judgement: ReplayJudgement {
    var judgement = ReplayJudgement(at: at)
    thresholds.apply(to: &judgement.thresholds)
    return judgement
  }

  private func history(_ events: ReplayEvents) -> ReplayHistory {
    ReplayHistory(Replay(events), until: until, judging: judgement)
  }

  private func destination(_ path: String) -> OutputDestination {
    OutputDestination(
      path: path, replaces: force, ledger: source.options.path, inputs: source.files)
  }

  /// The events without those after the end that `--until` names.
  private func upToTheEnd(_ events: ReplayEvents) -> ReplayEvents {
    guard until != nil else { return events }
    let last = history(events).steps.last?.event.position ?? 0
    return events.filter { $0.position <= last }
  }

  private func walk(_ events: ReplayEvents) throws {
    let history = history(events)
    guard !history.steps.isEmpty else {
      Console.print("0 steps: there is nothing to show")
      return
    }
    var screen = StepScreen(source.title, history)
    try screen.run()
  }

  /// The events with the edits of the command line; `nil` if there are no edits.
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
      from: history(source), to: history(edited.events))
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
