public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// Folds recorded events one by one, in the order in which they were recorded, and says after each
/// what it changed and which rules it broke.
///
/// The events that count are all that decide what the steps come to; only the steps are told.
/// Answers are judged at the newest event of their environment so far.
public struct Replay: Sendable {
  private let events: [RecordedEvent]
  private let steps: Set<UInt64>?
  private let background: Set<UInt64>

  /// - Parameters:
  ///   - events: By position, valid by the rules of the format.
  ///   - steps: The positions that are told; `nil` for all.
  ///   - background: The positions of events that the steps are judged by and that are not
  ///     connected with them: what becomes of these is not told.
  public init(
    _ events: [RecordedEvent], steps: Set<UInt64>? = nil, background: Set<UInt64> = []
  ) {
    self.events = events
    self.steps = steps
    self.background = background
  }

  /// A part of a ledger.
  public init(_ slice: ReplayEvents) {
    self.init(slice.events, steps: slice.steps, background: slice.background)
  }

  /// Runs through the events and tells each step.
  ///
  /// - Complexity: O(*n* log *n*) where the events come in the order of the fold: each costs what
  ///   it touches. An event that comes late costs a fold of all that is connected with it.
  public func run(
    until end: ReplayEnd? = nil, judging judgement: ReplayJudgement = ReplayJudgement(),
    _ body: (ReplayStep) -> Void
  ) -> ReplayOutcome {
    let numbered = NumberedEvents(events)
    var ledger = ReplayLedger(texts: numbered, background: background)
    var state = ReplayState()
    var folded = 0
    var told = 0
    for place in events.indices where isStep(events[place]) {
      if case .time(let time) = end, events[place].event.occurredAt > time { break }
      if case .position(let position) = end, events[place].position > position { break }
      var untold: [ReplayChange] = []
      if place > folded {
        // What goes before a step and is none itself changes nothing that the step is told for.
        ledger.append(numbered.facts[folded..<place])
        untold = state.update(ledger, with: numbered.facts[folded..<place])
        _ = ledger.takeFindings()
      }
      ledger.append(numbered.facts[place...place])
      folded = place + 1
      let changes = state.update(ledger, with: numbered.facts[place...place])
      let (broken, settled) = ledger.takeFindings()
      told += 1
      body(
        ReplayStep(
          event: events[place], changes: changes, untold: untold,
          broken: broken.map { .init($0, texts: numbered) },
          settled: settled.map { .init($0, texts: numbered) }))
      if case .finding = end, !broken.isEmpty { break }
    }
    func answers(_ findings: [Finding]) -> [FindingAnswer] {
      findings.filter { steps?.contains($0.position) ?? true }.map { .init($0, texts: numbered) }
    }
    return ReplayOutcome(
      steps: told, findings: answers(ledger.findings),
      findingsAtTheEnd: answers(ledger.findingsAtTheEnd(judgement)))
  }

  private func isStep(_ event: RecordedEvent) -> Bool {
    steps?.contains(event.position) ?? true
  }
}
