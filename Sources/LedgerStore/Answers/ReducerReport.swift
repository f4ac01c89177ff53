public import LedgerEvents
internal import LedgerModel

/// What one customer's answers become when another version of the reducer takes over.
public struct CustomerRevision: Sendable {
  /// `nil` for what concerns no account that the ledger knows.
  public var account: Name?
  public var environment: StoreEnvironment
  /// What is entitled, and balances; `nil` where both are the same.
  public var answer: AnswerDifference?
  /// The first moment, from the report's on, at which what is entitled differs.
  public var from: Instant?
  public var installed: [CustomerDifference.Installed]
  public var findings: [FindingsRevision]
}

extension CustomerRevision {
  /// Whether nothing differs.
  var isEmpty: Bool { answer == nil && installed.isEmpty && findings.isEmpty }
}

/// How often a rule is broken before and after.
public struct FindingsRevision: Hashable, Sendable {
  /// The rule's id, or its number where this program does not know it.
  public var rule: String
  public var before: Int
  public var after: Int

  init(_ rule: UInt8, _ before: Int, _ after: Int) {
    self.rule = Rule(rawValue: rule)?.id ?? "rule \(rule)"
    self.before = before
    self.after = after
  }
}

/// How many answers another version of the reducer changes.
public struct ReducerReport: Sendable {
  /// The position that both were folded up to.
  public var position: UInt64
  /// The version that folded the live projections, and this program's.
  public var storedReducer: UInt32
  public var reducer: UInt32
  /// Accounts whose answers were compared.
  public var accounts = 0
  /// Accounts for whom anything differs; what concerns nobody does not count.
  public var changed = 0
  /// Of these, accounts that would be entitled to something more, and to something no longer.
  public var gaining = 0
  public var losing = 0
  /// Of these, accounts with other balances, and with other versions installed.
  public var otherBalances = 0
  public var otherInstalled = 0
  /// How often each rule is broken that is broken at all, by its number.
  public var findings: [FindingsRevision] = []
  /// Whether anything differs, for whomever.
  public var isDifferent = false
}

extension ReducerReport {
  /// Counts one account with all that differs for it, in whichever environments.
  mutating func count(_ revisions: [CustomerRevision]) {
    guard let first = revisions.first else { return }
    isDifferent = true
    guard first.account != nil else { return }
    changed += 1
    if revisions.contains(where: { !($0.answer?.gained.isEmpty ?? true) }) { gaining += 1 }
    if revisions.contains(where: { !($0.answer?.lost.isEmpty ?? true) }) { losing += 1 }
    if revisions.contains(where: { !($0.answer?.balances.isEmpty ?? true) }) { otherBalances += 1 }
    if revisions.contains(where: { !$0.installed.isEmpty }) { otherInstalled += 1 }
  }
}
