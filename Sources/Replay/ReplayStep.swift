public import LedgerEvents
public import LedgerQueries
internal import ProductPages

/// What one event did: what it changed and which rules it broke.
public struct ReplayStep: Sendable {
  public var event: RecordedEvent
  /// One change for each subject, in a fixed order.
  public var changes: [ReplayChange]
  /// The changes of events that are not steps, since the previous step. For the first step of a
  /// slice, this is the state with which the slice began.
  public var earlierChanges: [ReplayChange] = []
  /// Findings that did not exist before the event, at any position: a late event can show that an
  /// earlier one broke a rule.
  public var broken: [FindingAnswer]
  /// Findings that a late event has settled.
  public var settled: [FindingAnswer]

  /// What an error in the event usually means, if that differs from what it says.
  public var note: String? { ProductPageFailure.explanation(of: event.event) }
}

/// A subject and its standing.
public struct ReplayLine: Hashable, Sendable {
  public var subject: ReplaySubject
  public var standing: ReplayStanding

  public init(subject: ReplaySubject, standing: ReplayStanding) {
    self.subject = subject
    self.standing = standing
  }
}

/// Something that an event changed, before and after.
public struct ReplayChange: Hashable, Sendable {
  public var subject: ReplaySubject
  /// `nil` if there was nothing.
  public var before: ReplayStanding?
  /// `nil` if there is nothing any more.
  public var after: ReplayStanding?
}

/// What a replay says about a subject.
public struct ReplayStanding: Hashable, Sendable {
  /// In words: `active 31%, version 1.1`.
  public var text: String
  /// The phase of a transaction, payment or download, in one word.
  public var phase: String?
  /// The highest progress of a running download's attempt, 0 to 1.
  public var progress: Double?

  init(text: String, phase: String? = nil, progress: Double? = nil) {
    self.text = text
    self.phase = phase
    self.progress = progress
  }
}

/// What a change is about.
public struct ReplaySubject: Hashable, Sendable {
  /// The parts of the state that a replay shows, in the order in which it shows them.
  public enum Kind: String, CaseIterable, Sendable {
    case transaction
    case payment
    case download
    case entitlement
    case installed
    case balance
  }

  public var kind: Kind
  public var environment: StoreEnvironment
  /// The account that has it; `nil` if nobody does.
  public var account: Name?
  /// The transaction of a download; the original transaction of an entitlement or balance that
  /// nobody holds.
  public var transaction: Name?
  public var device: Name?
  /// The transaction, payment, download, product, entitlement or unit.
  public var name: Name
}

extension ReplaySubject: Comparable {
  public static func < (left: Self, right: Self) -> Bool {
    (left.environment, left.kind.order, left.account ?? "", left.transaction ?? "")
      == (right.environment, right.kind.order, right.account ?? "", right.transaction ?? "")
      ? (left.device ?? "", left.name) < (right.device ?? "", right.name)
      : (left.environment, left.kind.order, left.account ?? "", left.transaction ?? "")
        < (right.environment, right.kind.order, right.account ?? "", right.transaction ?? "")
  }
}

extension ReplaySubject.Kind {
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Where a replay stops before its events end.
public enum ReplayEnd: Hashable, Sendable {
  /// After the event at this position.
  case position(UInt64)
  /// Before the first event that occurred later.
  case time(Instant)
  /// After the first event that breaks a rule.
  case finding
}

/// The outcome of a replay.
public struct ReplayOutcome: Sendable {
  /// The number of steps.
  public var steps: Int
  /// The findings of the first table, by position.
  public var findings: [FindingAnswer]
  /// The findings of the second table at the end: at the newest believed `occurredAt` of each
  /// environment, unless a ``ReplayJudgement`` states another moment.
  public var findingsAtTheEnd: [FindingAnswer]
}
