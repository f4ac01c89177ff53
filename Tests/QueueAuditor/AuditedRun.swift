public import LedgerEvents

/// A run as an auditor sees it: the recorded events and the faults.
public struct AuditedRun: Sendable {
  /// The events in the order in which they were recorded. A repeated notification occurs again.
  public var events: [Event]
  /// The name of the app's policy.
  public var policy: String
  /// The names of the faults. Others did not happen.
  public var faults: Set<String>
  /// What customers had bought before the first event, on devices that are not in the run.
  public var boughtBefore: Set<Name>
  /// Whether the faults have stopped and the app was opened again.
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

/// A broken rule in a run.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// The rule's name.
  public var rule: String
  /// The index of the event in the run, from 1; 0 for the whole run.
  public var number: Int
  public var what: String

  public var description: String { "\(rule) @\(number): \(what)" }
}

extension AuditedRun {
  /// Returns the rules that the run breaks: those of the queue and the store, which hold whatever
  /// the app does and whatever goes wrong, those of this app's policy, and what `careful` owes in
  /// the end.
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
    return tape.violations.sorted { ($0.number, $0.rule) < ($1.number, $1.rule) }
  }
}
