public import LedgerEvents

/// A run as an auditor sees it: what was recorded, and what is said to have gone wrong.
public struct AuditedRun: Sendable {
  /// In the order in which they were recorded; a notification that came again stands again.
  public var events: [Event]
  /// The name of what the app does.
  public var policy: String
  /// What went wrong, by the names of the faults; what is not named did not happen.
  public var faults: Set<String>
  /// What customers had bought before the first event, on devices that are not in the run.
  public var boughtBefore: Set<Name>
  /// The faults have stopped and the app was opened again.
  public var isOver: Bool

  public init(
    events: [Event], policy: String, faults: Set<String>, boughtBefore: Set<Name>, isOver: Bool
  ) {
    self.events = events
    self.policy = policy
    self.faults = faults
    self.boughtBefore = boughtBefore
    self.isOver = isOver
  }
}

/// A rule that a run breaks.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// The rule's name.
  public var rule: String
  /// The place of the event among the run's, from 1; 0 for the run as a whole.
  public var place: Int
  public var what: String

  public var description: String { "\(rule) @\(place): \(what)" }
}

extension AuditedRun {
  /// Every rule that the run breaks: what the queue and the store keep to whatever the app does and
  /// whatever goes wrong, what this app's policy keeps to, and what `careful` owes in the end.
  ///
  /// - Complexity: O(*n*²) in the number of events at worst.
  public func violations() -> [Violation] {
    var tape = Tape(self)
    tape.auditRecorder()
    tape.auditSessions()
    tape.auditTransactions()
    tape.auditStore()
    tape.auditRestores()
    tape.auditDownloads()
    tape.auditApp()
    if isOver { tape.auditReturns() }
    if policy == "careful" && isOver { tape.auditWhatIsOwed() }
    return tape.violations.sorted { ($0.place, $0.rule) < ($1.place, $1.rule) }
  }
}
