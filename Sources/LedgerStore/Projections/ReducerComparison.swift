internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Holds what two reducers made of one log against each other: stored answers and reports alone,
/// because the state that one of them keeps need not mean anything to the other.
struct ReducerComparison {
  private let live: Projections
  private let fresh: Projections
  private let texts: LogTexts
  /// When it is judged what is entitled, or at a customer's newest event where that is later.
  private let moment: Int64

  /// What a report says of those for whom it differs, on both sides.
  fileprivate struct Reported {
    var before: [ReportedLine.Key: ReportedLine] = [:]
    var after: [ReportedLine.Key: ReportedLine] = [:]
    /// Findings of all, by rule.
    var totals: [UInt8: (before: Int, after: Int)] = [:]
  }

  init(_ live: Projections, _ fresh: Projections, _ texts: LogTexts, at moment: Instant) {
    self.live = live
    self.fresh = fresh
    self.texts = texts
    self.moment = moment.microseconds
  }

  /// Tells of everybody for whom something differs, by account.
  ///
  /// - Complexity: O(*n*) in the rows of both and in the ledger's names; memory for what differs.
  func compare(
    _ log: LogView, _ report: inout ReducerReport,
    _ body: (CustomerRevision) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let left = try live.beginRead()
    let right = try fresh.beginRead()
    let reported = try compareReports(left.view, right.view, through: report.position)
    for (rule, count) in reported.totals.sorted(by: { $0.key < $1.key }) {
      report.findings.append(FindingsRevision(rule, count.before, count.after))
    }
    var accounts = Set(reported.before.keys.map(\.account))
    accounts.formUnion(reported.after.keys.map(\.account))
    accounts.formUnion(
      try accountsAnsweredOtherwise(log, left.view, right.view, &report.accounts))
    for account in accounts.sorted() {
      let rows = (
        before: try row(of: account, live, left.view, log),
        after: try row(of: account, fresh, right.view, log)
      )
      var revisions: [CustomerRevision] = []
      for environment in StoreEnvironment.allCases {
        let key = ReportedLine.Key(account: account, environment: environment)
        if let revision = try revision(key, rows, reported, log) { revisions.append(revision) }
      }
      report.count(revisions)
      for revision in revisions { try body(revision) }
    }
  }
}

// MARK: - Finding those for whom something differs

extension ReducerComparison {
  /// The lines of reports that are not the same in both, added up by account.
  private func compareReports(
    _ left: TransactionView, _ right: TransactionView, through position: UInt64
  ) throws(LedgerError) -> Reported {
    var reported = Reported()
    var rows = try RowPairs(live.tables.units, left, fresh.tables.units, right)
    while try rows.next() {
      if rows.side <= 0, try UnitRow.foldedThrough(rows.left) > position { throw Self.cutShort }
      try reported.add(rows.left, rows.right)
    }
    return reported
  }

  /// A fold of another reducer that wrote rows and no checkpoint behind them: they are of a later
  /// position, and only that reducer can end it.
  private static var cutShort: LedgerError {
    LedgerError(
      .busy,
      """
      The last fold of the live projections was cut short: let the program that folded them append \
      or open the ledger once more, and try again.
      """)
  }

  /// The accounts whose stored answers differ in more than bookkeeping can; counts all of them.
  private func accountsAnsweredOtherwise(
    _ log: LogView, _ left: TransactionView, _ right: TransactionView, _ count: inout Int
  ) throws(LedgerError) -> Set<NameNumber> {
    var keys: Set<[UInt8]> = []
    var rows = try RowPairs(live.tables.answers, left, fresh.tables.answers, right)
    while try rows.next() {
      count += 1
      if rows.side != 0 || !rows.left.equals(rows.right) {
        keys.insert([UInt8](copying: rows.key))
      }
    }
    // Keys say nothing about who it is: the names are gone through for those that are asked for.
    var accounts: Set<NameNumber> = []
    let last = keys.isEmpty ? 0 : try Checkpoint(right, fresh.tables)?.name ?? 0
    for number in 1..<last + 1 {
      guard try log.name(number).kind == .account else { continue }
      if let key = try texts.answerKey(of: number), keys.contains(key) { accounts.insert(number) }
    }
    return accounts
  }
}

extension ReducerComparison.Reported {
  /// Takes in a unit's row of both sides; an empty one is not there.
  fileprivate mutating func add(
    _ before: Span<UInt8>, _ after: Span<UInt8>
  ) throws(LedgerError) {
    let was = try UnitRow.reportedLines(before)
    let now = try UnitRow.reportedLines(after)
    for line in was {
      for (rule, count) in line.findings { totals[rule, default: (0, 0)].before += count }
    }
    for line in now {
      for (rule, count) in line.findings { totals[rule, default: (0, 0)].after += count }
    }
    if was == now { return }
    for line in was { self.before[line.key, default: .init(key: line.key)].add(line) }
    for line in now { self.after[line.key, default: .init(key: line.key)].add(line) }
  }
}

// MARK: - Saying what differs

extension ReducerComparison {
  /// The stored answer about an account; nil where there is none.
  private func row(
    of account: NameNumber, _ projections: Projections, _ view: TransactionView, _ log: LogView
  ) throws(LedgerError) -> [UInt8]? {
    if account == 0 { return nil }
    guard let key = try texts.answerKey(of: account) else { return nil }
    let found: Span<UInt8>?
    do throws(LMDBError) { found = try view.get(projections.tables.answers, key.span) } catch {
      throw LedgerError(error)
    }
    guard let found else { return nil }
    return [UInt8](copying: found)
  }

  private func revision(
    _ key: ReportedLine.Key, _ rows: (before: [UInt8]?, after: [UInt8]?), _ reported: Reported,
    _ log: LogView
  ) throws(LedgerError) -> CustomerRevision? {
    let name = key.account == 0 ? nil : try log.name(key.account).name
    let before = reported.before[key] ?? ReportedLine(key: key)
    let after = reported.after[key] ?? ReportedLine(key: key)
    var revision = CustomerRevision(
      account: name, environment: key.environment, answer: nil, from: nil, installed: [],
      findings: [])
    if let name {
      let found = try entitled(rows, key.environment)
      let balances = balances(before, after)
      revision.from = found?.from
      if found != nil || !balances.isEmpty {
        revision.answer = AnswerDifference(
          account: name, environment: key.environment, gained: found?.gained ?? [],
          lost: found?.lost ?? [], entries: found?.entries ?? [], balances: balances)
      }
    }
    revision.installed = try installed(before, after, log)
    for rule in Set(before.findings.keys).union(after.findings.keys).sorted() {
      let (was, now) = (before.findings[rule] ?? 0, after.findings[rule] ?? 0)
      if was != now { revision.findings.append(FindingsRevision(rule, was, now)) }
    }
    return revision.isEmpty ? nil : revision
  }

  /// What is entitled otherwise, at the first moment from the one asked for on.
  private struct Entitled {
    var from: Instant
    var entries: [AnswerDifference.Entry]
    var gained: [Name]
    var lost: [Name]
  }

  private func entitled(
    _ rows: (before: [UInt8]?, after: [UInt8]?), _ environment: StoreEnvironment
  ) throws(LedgerError) -> Entitled? {
    if rows.before == rows.after { return nil }
    let none = AnswerRow.nobody.encoded
    let (left, right) = (rows.before ?? none, rows.after ?? none)
    let before = try StoredAnswer(left.span)
    let after = try StoredAnswer(right.span)
    let only = EnvironmentSet(environment)
    var moment = max(
      moment, try before.newestEvent(in: only) ?? .min, try after.newestEvent(in: only) ?? .min)
    while true {
      let (was, changes) = try before.entries(in: environment, at: moment)
      let (now, others) = try after.entries(in: environment, at: moment)
      let entries = AnswerDifference.entries(was, now)
      if !entries.isEmpty {
        let (active, later) = (AnswerDifference.active(was), AnswerDifference.active(now))
        return Entitled(
          from: Instant(microseconds: moment), entries: entries,
          gained: later.subtracting(active).sorted(), lost: active.subtracting(later).sorted())
      }
      guard let next = [changes, others].compactMap({ $0 }).min() else { return nil }
      // Changes follow each other; rows that say otherwise would never end.
      guard next > moment else { throw .answerDamaged }
      moment = next
    }
  }

  private func balances(
    _ before: ReportedLine, _ after: ReportedLine
  ) -> [AnswerDifference.Balance] {
    Set(before.balances.keys).union(after.balances.keys).sorted().compactMap { unit in
      let (was, now) = (before.balances[unit] ?? 0, after.balances[unit] ?? 0)
      return was == now ? nil : AnswerDifference.Balance(unit: unit, before: was, after: now)
    }
  }

  private func installed(
    _ before: ReportedLine, _ after: ReportedLine, _ log: LogView
  ) throws(LedgerError) -> [CustomerDifference.Installed] {
    var changes: [CustomerDifference.Installed] = []
    for content in before.installed + after.installed {
      let version = { (contents: [ReportedLine.Installed]) in
        contents.first { $0.device == content.device && $0.product == content.product }?.version
      }
      let change = CustomerDifference.Installed(
        device: content.device == 0 ? nil : try log.name(content.device).name,
        product: try log.name(content.product).name, before: version(before.installed),
        after: version(after.installed))
      if change.before != change.after, !changes.contains(change) { changes.append(change) }
    }
    return changes
  }
}

extension AnswerDifference {
  /// Entries that are not the same, of two answers of one environment.
  fileprivate static func entries(
    _ before: [EntitlementsAnswer.Entry], _ after: [EntitlementsAnswer.Entry]
  ) -> [Entry] {
    var entries: [Entry] = []
    for entry in before {
      let later = after.first { $0.isOfTheSame(as: entry) }
      if later.map({ !$0.says(entry) }) ?? true {
        entries.append(Entry(before: entry, after: later))
      }
    }
    for entry in after where !before.contains(where: { $0.isOfTheSame(as: entry) }) {
      entries.append(Entry(before: nil, after: entry))
    }
    return entries
  }

  /// What may be used by some entries: products, what they open, what operators granted.
  fileprivate static func active(_ entries: [EntitlementsAnswer.Entry]) -> Set<Name> {
    var names: Set<Name> = []
    for entry in entries where entry.state.entitles {
      names.formUnion([entry.product, entry.entitlement].compactMap { $0 })
      names.formUnion(entry.entitlements)
    }
    return names
  }
}

extension EntitlementsAnswer.Entry {
  fileprivate func isOfTheSame(as other: Self) -> Bool {
    product == other.product && entitlement == other.entitlement
  }

  /// Whether a stored answer says the same of both.
  fileprivate func says(_ other: Self) -> Bool {
    state == other.state && since == other.since && expiresAt == other.expiresAt
      && entitlements == other.entitlements && source == other.source
  }
}
