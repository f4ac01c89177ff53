public import LedgerEvents
public import LedgerQueries
internal import ProductPages

/// What one event did: what it changed and which rules it broke.
public struct ReplayStep: Sendable {
  public var event: RecordedEvent
  /// By subject, in a fixed order.
  public var changes: [ReplayChange]
  /// What events that are no steps changed before it, and after the step before: of a slice, what
  /// was there when it began.
  public var untold: [ReplayChange] = []
  /// Findings that were not there before it, at whatever position: a late event can show that an
  /// earlier one broke a rule.
  public var broken: [FindingAnswer]
  /// Findings that a late event has settled.
  public var settled: [FindingAnswer]

  /// What an error of the event mostly means, where it does not mean what it says.
  public var note: String? { ProductPageFailure.explanation(of: event.event) }
}

/// A subject and where it stands.
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
  /// `nil` where there was nothing.
  public var before: ReplayStanding?
  /// `nil` where there is nothing any more.
  public var after: ReplayStanding?
}

/// What a replay says of a subject.
public struct ReplayStanding: Hashable, Sendable {
  /// In words: `active 31%, version 1.1`.
  public var text: String
  /// Of a transaction, payment or download: the one word that says where it stands.
  public var phase: String?
  /// Of a download under way: the highest progress of its attempt, 0 to 1.
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
  /// Whose it is; `nil` where it is nobody's.
  public var account: Name?
  /// Of a transaction or download; of an entitlement that nobody holds, its original.
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
  /// Behind the event at this position.
  case position(UInt64)
  /// Before the first event that occurred later.
  case time(Instant)
  /// Behind the first event that breaks a rule.
  case finding
}

/// What a replay comes to.
public struct ReplayOutcome: Sendable {
  /// How many steps there were.
  public var steps: Int
  /// What was broken, by position.
  public var findings: [FindingAnswer]
  /// What still is at the newest believed `occurredAt` of each environment (the second table).
  public var findingsAtTheEnd: [FindingAnswer]
}
