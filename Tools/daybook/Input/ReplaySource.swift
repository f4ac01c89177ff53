import ArgumentParser
import Audit
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import ProductPages
import QueueSimulator

/// Where the events of a replay come from: a trace, a scenario, or a slice of the ledger.
struct ReplaySource: ParsableArguments {
  @OptionGroup var options: LedgerOptions

  @Argument(
    help: """
      A trace of events, one per line (- is standard input), a bundle (`daybook export --bundle`), \
      or a scenario (a file that ends in .json), which the simulator plays. Leave it out for a \
      slice of the ledger.
      """)
  var source: String?

  @Option(
    help: "A slice of the ledger: this customer's events.", completion: Completions.accounts,
    transform: Parse.name)
  var account: Name?

  @Option(help: "A slice of the ledger: this transaction's events.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: ArgumentHelp(
      "A slice of the ledger: the product pages of this item (a number or a link).",
      valueName: "item"),
    transform: Parse.storeItem)
  var storeItem: StoreItem?

  @Option(
    help: ArgumentHelp("A slice of the ledger: from this position on.", valueName: "position"),
    transform: Parse.position)
  var from: UInt64?

  @Option(
    help: ArgumentHelp("A slice of the ledger: up to this position.", valueName: "position"),
    transform: Parse.position)
  var to: UInt64?

  /// The part of the ledger that the options name.
  private var question: ReplayQuestion {
    var question = ReplayQuestion()
    question.account = account
    question.transaction = transaction
    question.storeItem = storeItem?.description
    (question.from, question.to) = (from, to)
    return question
  }

  private var isSlice: Bool { !question.isEmpty }

  func validate() throws {
    try Parse.refuseTurned(from: from, to: to)
    if source != nil && isSlice {
      throw ValidationError(
        "a file is replayed whole: leave out --account, --transaction, --store-item, --from and "
          + "--to, or the file.")
    }
    if source == nil && !isSlice {
      throw ValidationError(
        "name a trace or a scenario (before --move and --insert, which take several words), or a "
          + "slice of the ledger by --account, --transaction, --store-item, --from or --to.")
    }
  }

  /// The files that it reads.
  var files: [String] { source.map { $0 == "-" ? [] : [$0] } ?? [] }

  /// The title under which the source is shown.
  var title: String {
    if let source { return source == "-" ? "standard input" : source }
    return question.title
  }

  /// Reads the events.
  func events() throws -> ReplayEvents {
    if let source {
      return source.hasSuffix(Self.scenarioSuffix)
        ? try Self.scenario(source) : try Self.trace(source)
    }
    let slice = question.slice
    return try options.read { (view) throws(LedgerError) in try view.replayEvents(slice) }
  }

  /// The extension of a scenario's file.
  private static let scenarioSuffix = ".json"

  /// The events of a scenario, each id once.
  private static func scenario(_ name: String) throws -> ReplayEvents {
    let file = try ScenarioFile(name)
    let played = try file.play()
    let events = RecordedEvent.held(played.events, recordedAt: played.recordedAt)
    func positions(_ ids: [Name]) -> Set<UInt64> {
      let ids = Set(ids)
      return Set(events.filter { ids.contains($0.event.id) }.map(\.position))
    }
    return ReplayEvents(
      events: events,
      steps: Set(events.map(\.position)).subtracting(positions(file.scenario.ground)),
      background: positions(file.scenario.background))
  }

  /// The events of a bundle, or of a file as a ledger would contain them after appending it. The
  /// time of recording is a line's `recordedAt`, or else its `occurredAt`.
  private static func trace(_ name: String) throws -> ReplayEvents {
    let lines = try lines(name)
    if let first = lines.first, IncidentBundle.isBundle(first.bytes) {
      return try bundle(lines, name)
    }
    let events = try inputs(lines, name).enumerated().map { index, input in
      RecordedEvent(
        position: UInt64(index + 1), recordedAt: input.recordedAt ?? input.event.occurredAt,
        event: input.event)
    }
    return ReplayEvents(events: events, steps: Set(events.map(\.position)))
  }

  /// The events of a consistent bundle, with the positions of its ledger.
  private static func bundle(_ lines: [InputLine], _ name: String) throws -> ReplayEvents {
    do throws(ProofError) {
      var reader = BundleReader()
      for line in lines { try reader.read(line.bytes) }
      return try reader.finish().events
    } catch { throw InputProblem("\(name): \(error.message)") }
  }

  /// The events of a file of JSON Lines, each id once.
  static func inputs(_ name: String) throws -> [EventInput] {
    let lines = try lines(name)
    if let first = lines.first, IncidentBundle.isBundle(first.bytes) {
      throw InputProblem("\(name) is an incident bundle: replay it by itself.")
    }
    return try inputs(lines, name)
  }

  private static func lines(_ name: String) throws -> [InputLine] {
    let bytes = try AppendSource(checking: name).open()
    var cutter = LineCutter(lineBytesMax: IncidentBundle.lineBytesMax)
    var lines: [InputLine] = []
    while let chunk = try bytes.next(until: .distantFuture) { lines += cutter.add(chunk) }
    if let line = cutter.end() { lines.append(line) }
    return lines
  }

  private static func inputs(_ lines: [InputLine], _ name: String) throws -> [EventInput] {
    var known: [Name: Event] = [:]
    var inputs: [EventInput] = []
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
            "\(name): line \(line.number): id: another event of this file has this id but "
              + "different content; give each event an id of its own.")
        }
        continue
      }
      inputs.append(input)
    }
    return inputs
  }
}
