public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// What changes in one customer's answers when another version of the reducer takes over.
public struct CustomerRevision: Sendable {
  /// `nil` for differences that concern no known account.
  public var account: Name?
  public var environment: StoreEnvironment
  /// Entitlements and balances; `nil` if both are the same.
  public var answer: AnswerDifference?
  /// The first moment, from the report's on, at which the entitlements differ.
  public var from: Instant?
  public var installed: [CustomerDifference.Installed]
  public var findings: [FindingsRevision]
}

extension CustomerRevision {
  /// What differs between two sides; `nil` if nothing does.
  init?(_ sides: ReducerSides) {
    let (before, after) = (sides.before, sides.after)
    account = sides.account
    environment = sides.environment
    answer = sides.account.flatMap { account in
      AnswerDifference(
        account, sides.environment,
        entries: (
          before.entries.map(EntitlementsAnswer.Entry.init),
          after.entries.map(EntitlementsAnswer.Entry.init)
        ), balances: (before.balances, after.balances))
    }
    from = sides.moment.map(Instant.init(microseconds:))
    installed = CustomerDifference.Installed.changes(
      from: before.installed.map(CustomerDifference.Version.init),
      to: after.installed.map(CustomerDifference.Version.init))
    let rules = Set(before.findings.keys).union(after.findings.keys)
    findings = rules.sorted().compactMap { rule in
      let (was, now) = (before.findings[rule] ?? 0, after.findings[rule] ?? 0)
      return was == now ? nil : FindingsRevision(rule, was, now)
    }
    if answer == nil && installed.isEmpty && findings.isEmpty { return nil }
  }
}

extension CustomerDifference.Version {
  fileprivate init(_ stored: ReducerSides.Side.Installed) {
    self.init(device: stored.device, product: stored.product, version: stored.version)
  }
}

/// How often a rule is broken before and after.
public struct FindingsRevision: Hashable, Sendable {
  /// The rule's id, or its number if this program does not know the rule.
  public var rule: String
  public var before: Int
  public var after: Int

  init(_ rule: UInt8, _ before: Int, _ after: Int) {
    self.rule = Rule(rawValue: rule)?.id ?? "rule \(rule)"
    self.before = before
    self.after = after
  }
}

/// How many customers' answers another version of the reducer changes.
public struct ReducerReport: Sendable {
  /// The position up to which both were folded.
  public var position: UInt64
  /// The version that folded the live projections, and this program's version.
  public var storedReducer: UInt32
  public var reducer: UInt32
  /// Accounts whose answers were compared.
  public var accounts = 0
  /// Accounts for which anything differs. Differences without an account don't count.
  public var changed = 0
  /// Of these, accounts that gain an entitlement, and accounts that lose one.
  public var gaining = 0
  public var losing = 0
  /// Of these, accounts whose balances differ, and accounts whose installed versions differ.
  public var otherBalances = 0
  public var otherInstalled = 0
  /// How often each rule is broken, sorted by rule number. Rules that are never broken are left
  /// out.
  public var findings: [FindingsRevision] = []
  /// Whether anything differs, with or without an account.
  public var isDifferent = false
}

extension ReducerReport {
  /// Counts one account with all its differences, in any environment.
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

extension Ledger {
  /// Folds the log again beside the live projections with this program's reducer, and reports for
  /// which customers the results differ from the stored ones: entitlements, balances, installed
  /// versions, and findings by rule. Run this before an upgrade goes live. It switches nothing.
  ///
  /// It compares stored answers and reads no stored state. So the live projections may come from a
  /// reducer whose state this program cannot read. Findings that are judged over all customers
  /// (`version-not-increased`, `digest-mismatch`) are computed only when a question asks for them,
  /// so they are not compared.
  ///
  /// - Parameters:
  ///   - now: The moment at which entitlements are judged, or the customer's newest event if that
  ///     is later. What differs only after that is reported, too.
  ///   - progress: Called after each batch with the position reached and the last one.
  ///   - body: Called for each customer for whom something differs, by environment.
  /// - Complexity: O(*n*) in the events of the log; memory for what differs.
  /// - Throws: `LedgerError`, and what `body` throws.
  public func reportReducer(
    now: Instant, progress: ((_ position: UInt64, _ last: UInt64) -> Void)? = nil,
    _ body: (CustomerRevision) throws(LedgerError) -> Void
  ) throws(LedgerError) -> ReducerReport {
    var report = ReducerReport(position: 0, storedReducer: 0, reducer: Reducer.version)
    let summary = try compareReducers(now: now, progress: progress) {
      (sides) throws(LedgerError) in
      let revisions = sides.compactMap(CustomerRevision.init)
      report.count(revisions)
      for revision in revisions { try body(revision) }
    }
    report.position = summary.position
    report.storedReducer = summary.storedReducer
    report.accounts = summary.accounts
    report.findings = summary.findings.sorted { $0.key < $1.key }
      .map { FindingsRevision($0.key, $0.value.before, $0.value.after) }
    return report
  }
}
