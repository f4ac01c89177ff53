/// All steps of a replay, for walking forwards and backwards.
public struct ReplayHistory: Sendable {
  public let steps: [ReplayStep]
  public let outcome: ReplayOutcome
  /// For each subject, the steps that changed it, in ascending order, and its standing from then
  /// on.
  private let series: [ReplaySubject: [Turn]]

  private struct Turn {
    var step: Int
    var standing: ReplayStanding?
  }

  /// Runs a replay to its end, or until `end`.
  ///
  /// - Complexity: that of the replay's `run`; all steps are held in memory.
  public init(
    _ replay: Replay, until end: ReplayEnd? = nil,
    judging judgement: ReplayJudgement = ReplayJudgement()
  ) {
    var steps: [ReplayStep] = []
    outcome = replay.run(until: end, judging: judgement) { steps.append($0) }
    var series: [ReplaySubject: [Turn]] = [:]
    for (index, step) in steps.enumerated() {
      for change in step.earlierChanges + step.changes {
        series[change.subject, default: []].append(Turn(step: index, standing: change.after))
      }
    }
    self.steps = steps
    self.series = series
  }

  /// The state after a step, counted from 0, in the order of subjects.
  ///
  /// - Complexity: O(*s* log *n*) in the number of subjects and of steps.
  public func state(after step: Int) -> [ReplayLine] {
    var state: [ReplayLine] = []
    for (subject, turns) in series {
      var (low, high) = (0, turns.count)
      while low < high {
        let middle = (low + high) / 2
        if turns[middle].step <= step { low = middle + 1 } else { high = middle }
      }
      guard low > 0, let standing = turns[low - 1].standing else { continue }
      state.append(ReplayLine(subject: subject, standing: standing))
    }
    return state.sorted { $0.subject < $1.subject }
  }
}
