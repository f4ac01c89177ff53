/// A walk through the steps of a replay, forwards and backwards.
public struct ReplayWalk: Sendable {
  /// Where to go.
  public enum Move: Sendable {
    case forward
    case back
    case first
    case last
    /// To the next step that breaks a rule.
    case nextFinding
    /// To the previous step that breaks a rule.
    case previousFinding
  }

  public let history: ReplayHistory
  /// The step that is shown, from 0.
  public private(set) var step = 0

  /// - Precondition: the history has steps.
  public init(_ history: ReplayHistory) {
    precondition(!history.steps.isEmpty, "nobody can walk through nothing")
    self.history = history
  }

  /// Goes there. If there is no such step, the walk stays where it is and this returns `false`.
  ///
  /// - Complexity: O(1); O(*n*) in the steps passed when it looks for findings.
  public mutating func go(_ move: Move) -> Bool {
    let steps = history.steps
    let there: Int?
    switch move {
    case .forward: there = step + 1 < steps.count ? step + 1 : nil
    case .back: there = step > 0 ? step - 1 : nil
    case .first: there = step == 0 ? nil : 0
    case .last: there = step == steps.count - 1 ? nil : steps.count - 1
    case .nextFinding: there = steps[(step + 1)...].firstIndex { !$0.broken.isEmpty }
    case .previousFinding: there = steps[..<step].lastIndex { !$0.broken.isEmpty }
    }
    guard let there else { return false }
    step = there
    return true
  }
}
