internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Compares the results of two reducers for one log. It compares only stored answers and reports,
/// because one reducer may not be able to read the other's state.
struct ReducerComparison {
  private let live: Projections
  private let fresh: Projections
  private let texts: LogTexts
  /// The moment at which entitlements are judged, or the customer's newest event if that is later.
  private let moment: Int64

  /// The report lines of those for whom they differ, on both sides.
  fileprivate struct Reported {
    var before: [ReportedLine.Key: ReportedLine] = [:]
    var after: [ReportedLine.Key: ReportedLine] = [:]
    /// The findings of all accounts, by rule.
    var totals: [UInt8: (before: Int, after: Int)] = [:]
  }

  init(_ live: Projections, _ fresh: Projections, _ texts: LogTexts, at moment: Instant) {
    self.live = live
    self.fresh = fresh
    self.texts = texts
    self.moment = moment.microseconds
  }

  /// Calls `body` with each account for which something may differ, in the order of their numbers:
  /// both sides, by environment.
  ///
  /// - Complexity: O(*n*) in the rows of both and in the ledger's names; memory for what differs.
  func compare(
    _ log: LogView, _ summary: inout ReducerSummary,
    _ body: ([ReducerSides]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let left = try live.beginRead()
    let right = try fresh.beginRead()
    let reported = try compareReports(left.view, right.view, through: summary.position)
    summary.findings = reported.totals
    var accounts = Set(reported.before.keys.map(\.account))
    accounts.formUnion(reported.after.keys.map(\.account))
    accounts.formUnion(
      try accountsAnsweredOtherwise(log, left.view, right.view, &summary.accounts))
    for account in accounts.sorted() {
      let rows = (
        before: try row(of: account, live, left.view, log),
        after: try row(of: account, fresh, right.view, log)
      )
      var sides: [ReducerSides] = []
      for environment in StoreEnvironment.allCases {
        let key = ReportedLine.Key(account: account, environment: environment)
        sides.append(try self.sides(key, rows, reported, log))
      }
      try body(sides)
    }
  }
}

// MARK: - Finding those for whom something differs

extension ReducerComparison {
  /// Returns the lines of reports that differ between the two sides, added up by account.
  private func compareReports(
    _ left: TransactionView, _ right: TransactionView, through position: UInt64
  ) throws(LedgerError) -> Reported {
    var reported = Reported()
    var rows = try RowPairs(live.tables.units, left, fresh.tables.units, right)
    while try rows.next() {
      if rows.side <= 0, try UnitRow.foldedThrough(rows.left()) > position { throw Self.cutShort }
      reported.add(try UnitRow.reportedLines(rows.left()), try UnitRow.reportedLines(rows.right()))
    }
    // A large unit's report may be behind what is stored. It was made by the other reducer all the
    // same, so it is compared as it is.
    var reports = try RowPairs(live.tables.reports, left, fresh.tables.reports, right)
    while try reports.next() {
      let before = reports.side > 0 ? [] : try KeptReport(reports.left()).reportedLines()
      let after = reports.side < 0 ? [] : try KeptReport(reports.right()).reportedLines()
      reported.add(before, after)
    }
    return reported
  }

  /// The error for an interrupted fold of another reducer. It wrote rows of a later position, but
  /// not its checkpoint, and only that reducer can complete it.
  private static var cutShort: LedgerError {
    LedgerError(
      .busy,
      """
      The last fold of the live projections was cut short: let the program that folded them append \
      or open the ledger once more, and try again.
      """)
  }

  /// Returns the accounts whose stored rows of answers differ, and adds the number of rows compared
  /// to `count`.
  private func accountsAnsweredOtherwise(
    _ log: LogView, _ left: TransactionView, _ right: TransactionView, _ count: inout Int
  ) throws(LedgerError) -> Set<NameNumber> {
    var keys: Set<[UInt8]> = []
    var rows = try RowPairs(live.tables.answers, left, fresh.tables.answers, right)
    while try rows.next() {
      count += 1
      let isSame = try rows.left().equals(rows.right())
      if rows.side != 0 || !isSame {
        keys.insert([UInt8](copying: rows.key))
      }
    }
    // A key does not reveal its account, so all names are searched for the accounts with these
    // keys.
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
  /// Adds a unit's lines of both sides.
  fileprivate mutating func add(_ was: [ReportedLine], _ now: [ReportedLine]) {
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

// MARK: - Both sides

extension ReducerComparison {
  /// The stored answer about an account; `nil` if there is none.
  private func row(
    of account: NameNumber, _ projections: Projections, _ view: TransactionView, _ log: LogView
  ) throws(LedgerError) -> [UInt8]? {
    if account == 0 { return nil }
    guard let key = try texts.answerKey(of: account) else { return nil }
    guard let found = try projections.tables.answers.row(key.span, view) else { return nil }
    return [UInt8](copying: found)
  }

  private func sides(
    _ key: ReportedLine.Key, _ rows: (before: [UInt8]?, after: [UInt8]?), _ reported: Reported,
    _ log: LogView
  ) throws(LedgerError) -> ReducerSides {
    let before = reported.before[key] ?? ReportedLine(key: key)
    let after = reported.after[key] ?? ReportedLine(key: key)
    let entitled = key.account == 0 ? nil : try entitled(rows, key.environment)
    return ReducerSides(
      account: key.account == 0 ? nil : try log.name(key.account).name,
      environment: key.environment, moment: entitled?.moment,
      before: try side(before, entitled?.before, log),
      after: try side(after, entitled?.after, log))
  }

  private func side(
    _ line: ReportedLine, _ entries: [StoredEntry]?, _ log: LogView
  ) throws(LedgerError) -> ReducerSides.Side {
    var side = ReducerSides.Side(
      entries: (entries ?? []).sorted(by: Self.isShownFirst), balances: line.balances,
      installed: [], findings: line.findings)
    for content in line.installed {
      side.installed.append(
        .init(
          device: content.device == 0 ? nil : try log.name(content.device).name,
          product: try log.name(content.product).name, version: content.version))
    }
    return side
  }

  /// Products are shown first, and both by name.
  private static func isShownFirst(_ left: StoredEntry, _ right: StoredEntry) -> Bool {
    if left.item.isEntitlement != right.item.isEntitlement { return right.item.isEntitlement }
    return left.item.name < right.item.name
  }

  /// Returns the entitlements of both sides at the first moment, not before the requested one, at
  /// which they differ; `nil` if they never do.
  private func entitled(
    _ rows: (before: [UInt8]?, after: [UInt8]?), _ environment: StoreEnvironment
  ) throws(LedgerError) -> (moment: Int64, before: [StoredEntry], after: [StoredEntry])? {
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
      // An answer has one entry per item, in an order that the reducer may choose.
      if Set(was) != Set(now) { return (moment, was, now) }
      guard let next = [changes, others].compactMap({ $0 }).min() else { return nil }
      // Changes must be in ascending order; otherwise, the loop would never end.
      guard next > moment else { throw .answerDamaged }
      moment = next
    }
  }
}
