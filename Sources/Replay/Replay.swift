public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// Folds recorded events one by one, in the order in which they were recorded, and reports after
/// each one what it changed and which rules it broke.
///
/// The events include everything that decides the results of the steps. Only the steps are
/// reported. Answers are judged at the newest event of their environment so far.
public struct Replay: Sendable {
  private let events: [RecordedEvent]
  private let numbered: NumberedEvents
  private let steps: Set<UInt64>?
  private let background: Set<UInt64>

  /// - Parameters:
  ///   - events: The events in the order of their positions, valid by the rules of the format.
  ///   - steps: The positions that are reported; `nil` for all.
  ///   - background: The positions of events against which the steps are judged, but which are not
  ///     connected with them. What they change is not reported.
  /// - Complexity: O(*n*) in the size of the events.
  public init(
    _ events: [RecordedEvent], steps: Set<UInt64>? = nil, background: Set<UInt64> = []
  ) {
    self.init(events, NumberedEvents(events), steps: steps, background: background)
  }

  /// Creates a replay of a part of a ledger, whose facts were made when it was read, or of other
  /// events.
  ///
  /// - Complexity: O(1) for a part of a ledger, otherwise O(*n*) in the size of the events.
  public init(_ slice: ReplayEvents) {
    self.init(
      slice.events, slice.numbered ?? NumberedEvents(slice.events), steps: slice.steps,
      background: slice.background)
  }

  private init(
    _ events: [RecordedEvent], _ numbered: NumberedEvents, steps: Set<UInt64>?,
    background: Set<UInt64>
  ) {
    self.events = events
    self.numbered = numbered
    self.steps = steps
    self.background = background
  }

  /// Folds the events and reports each step.
  ///
  /// - Parameters:
  ///   - end: Where to stop; `nil` for the last event.
  ///   - judgement: How to judge what is still open at the end.
  ///   - body: Called with each step.
  /// - Returns: The outcome.
  /// - Complexity: O(*n* log *n*) if the events arrive in the fold order: each costs as much as it
  ///   touches. A late event costs a fold of everything that is connected with it.
  public func run(
    until end: ReplayEnd? = nil, judging judgement: ReplayJudgement = ReplayJudgement(),
    _ body: (ReplayStep) -> Void
  ) -> ReplayOutcome {
    var ledger = ReplayLedger(texts: numbered, background: background)
    var state = ReplayState()
    var folded = 0
    var stepCount = 0
    for index in events.indices where isStep(events[index]) {
      if case .time(let time) = end, events[index].event.occurredAt > time { break }
      if case .position(let position) = end, events[index].position > position { break }
      var earlierChanges: [ReplayChange] = []
      if index > folded {
        // Events before a step that are not steps themselves: their changes are not the step's.
        ledger.append(numbered.facts[folded..<index])
        earlierChanges = state.update(ledger, with: numbered.facts[folded..<index])
        _ = ledger.takeFindings()
      }
      ledger.append(numbered.facts[index...index])
      folded = index + 1
      let changes = state.update(ledger, with: numbered.facts[index...index])
      let (broken, settled) = ledger.takeFindings()
      stepCount += 1
      body(
        ReplayStep(
          event: events[index], changes: changes, earlierChanges: earlierChanges,
          broken: broken.map { .init($0, texts: numbered) },
          settled: settled.map { .init($0, texts: numbered) }))
      if case .finding = end, !broken.isEmpty { break }
    }
    func answers(_ findings: [Finding]) -> [FindingAnswer] {
      findings.filter { steps?.contains($0.position) ?? true }.map { .init($0, texts: numbered) }
    }
    return ReplayOutcome(
      steps: stepCount, findings: answers(ledger.findings),
      findingsAtTheEnd: answers(ledger.findingsAtTheEnd(judgement)))
  }

  private func isStep(_ event: RecordedEvent) -> Bool {
    steps?.contains(event.position) ?? true
  }
}
