public import LedgerEvents
public import LedgerModel
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
  /// - Complexity: O(*n*) folding where the events come in the order of the fold; each step also
  ///   looks through all findings so far. Some ten thousand events are fine.
  public func run(
    until end: ReplayEnd? = nil, thresholds: Thresholds = .standard,
    _ body: (ReplayStep) -> Void
  ) -> ReplayOutcome {
    let numbered = NumberedEvents(events)
    var ledger = ReplayLedger(texts: numbered, background: background)
    var state = ReplayState()
    var findings = FindingCounts([])
    var folded = 0
    var told = 0
    var version = ledger.findingsVersion
    for place in events.indices where isStep(events[place]) {
      if case .time(let time) = end, events[place].event.occurredAt > time { break }
      if case .position(let position) = end, events[place].position > position { break }
      var untold: [ReplayChange] = []
      if place > folded {
        // What goes before a step and is none itself changes nothing that the step is told for.
        ledger.append(Array(numbered.facts[folded..<place]))
        untold = state.update(ledger)
        findings = FindingCounts(ledger.findings)
        version = ledger.findingsVersion
      }
      ledger.append([numbered.facts[place]])
      folded = place + 1
      // Most events break and settle nothing.
      var step = ReplayStep(
        event: events[place], changes: state.update(ledger), untold: untold, broken: [], settled: []
      )
      if ledger.findingsVersion != version {
        version = ledger.findingsVersion
        let now = FindingCounts(ledger.findings)
        step.broken = now.surplus(over: findings).map { .init($0, texts: numbered) }
        step.settled = findings.surplus(over: now).map { .init($0, texts: numbered) }
        findings = now
      }
      told += 1
      body(step)
      if case .finding = end, !step.broken.isEmpty { break }
    }
    func answers(_ findings: [Finding]) -> [FindingAnswer] {
      findings.filter { steps?.contains($0.position) ?? true }.map { .init($0, texts: numbered) }
    }
    return ReplayOutcome(
      steps: told, findings: answers(findings.findings),
      findingsAtTheEnd: answers(ledger.findingsAtTheEnd(thresholds)))
  }

  private func isStep(_ event: RecordedEvent) -> Bool {
    steps?.contains(event.position) ?? true
  }
}

/// Findings, each as often as it was found.
struct FindingCounts {
  let findings: [Finding]
  private var counts: [Finding: Int] = [:]

  init(_ findings: [Finding]) {
    self.findings = findings
    for finding in findings { counts[finding, default: 0] += 1 }
  }

  /// What is here more often than there, in the order of positions.
  func surplus(over other: FindingCounts) -> [Finding] {
    var left = other.counts
    return findings.filter { finding in
      guard let count = left[finding], count > 0 else { return true }
      left[finding] = count - 1
      return false
    }
  }
}
