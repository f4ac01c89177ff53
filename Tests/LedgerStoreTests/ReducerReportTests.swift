import Audit
import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

@testable import LedgerStore

/// The check before an upgrade: the results of another reducer are planted as the live projections
/// and compared with those of this one.
@Suite("A report of two reducers") struct ReducerReportTests {
  private let walk: LedgerWalk
  private let events: [RecordedEvent]

  init() throws {
    walk = try LedgerWalk()
    events = Histories.dense(seed: 21, count: 160)
    try walk.append(events)
    try walk.ledger().fold()
  }

  private struct Reported {
    var revisions: [CustomerRevision] = []
    var report: ReducerReport
  }

  private func report() throws -> Reported {
    var revisions: [CustomerRevision] = []
    let report = try walk.ledger().reportReducer(now: Instant(microseconds: 0)) { revision in
      revisions.append(revision)
    }
    return Reported(revisions: revisions, report: report)
  }

  /// Writes the live rows as a reducer would that leaves out some facts, in a state that this
  /// program cannot read, with another version.
  private func plant(
    version: UInt32 = Reducer.version + 7, leavingOut isLeftOut: (Fact) -> Bool
  ) throws {
    let ledger = try walk.ledger()
    let projections = try #require(try ledger.source.live())
    var rows: [(RowTable, [UInt8], [UInt8])] = []
    try ledger.read { (view) throws(LedgerError) in
      let (context, texts) = (view.reader.overlay.context, view.reader.texts)
      var units = try view.units()
      while try units.advance() {
        let facts = try view.reader.overlay.facts(
          of: units.unit, .all, view.log, view.tables, view.projections)
        let unit = UnitSet.fold(
          connected: facts.filter { !isLeftOut($0) }, context: context, texts: texts)
        let whole = UnitSet.fold(connected: facts, context: context, texts: texts)
        var grants = UnitGrants(of: unit, context: context, texts: texts)
        let answers = try AnswerRow.all(of: unit, called: units.unit, &grants, context, texts)
        let report = UnitReport(of: unit, context, texts)
        // A divided unit has its report in a row of its own.
        let key = units.unit.bigEndianBytes
        let isDivided = try view.tables.reports.row(key.span, view.projections) != nil
        var row = UnitRow.encode(
          whole, foldedThrough: view.position,
          report: isDivided ? UnitReport(of: .init(), context, texts) : report)
        if isDivided {
          let kept = KeptReport.encode(report, factCount: whole.factCount)
          rows.append((view.tables.reports, units.unit.bigEndianBytes, kept))
        }
        let range = UnitRow.report(row.span)
        for index in (range?.upperBound ?? row.count)..<row.count { row[index] = 0xFF }
        rows.append((view.tables.units, units.unit.bigEndianBytes, row))
        for (account, answer) in answers {
          guard let key = try texts.answerKey(of: account) else { continue }
          rows.append((view.tables.answers, key, answer.encoded))
        }
      }
      try texts.check()
    }
    let checkpoint = try projections.beginRead()
    var stored = try #require(try Checkpoint(checkpoint.view, projections.tables))
    stored.reducer = version
    try projections.environment.write { transaction in
      for (table, key, value) in rows { try table.put(key.span, value, &transaction) }
      try stored.write(&transaction, projections.tables)
    }
    walk.close()
  }

  private func expectRefused(_ body: () throws -> Void) {
    let error = #expect(throws: LedgerError.self) { try body() }
    #expect(error?.code == .rebuildNeeded)
    #expect(error?.message.contains("rebuild --check --report") ?? false)
  }

  @Test("says nothing where nothing differs, though no state can be read") func control() throws {
    let same = try report()
    #expect(same.revisions.isEmpty)
    #expect(!same.report.isDifferent)
    #expect(same.report.accounts > 2)
    #expect(same.report.position == UInt64(events.count))
    try plant { _ in false }
    let planted = try report()
    #expect(planted.revisions.isEmpty)
    #expect(!planted.report.isDifferent)
    #expect(planted.report.storedReducer == Reducer.version + 7)
    #expect(planted.report.reducer == Reducer.version)
    #expect(planted.report.findings.allSatisfy { $0.before == $0.after })
  }

  /// The ledger's answers about all accounts, once with all facts and once without some.
  private struct Sides {
    var states: [String] = []
    var balances: [Name: Int64] = [:]
    var installed: [String] = []
    var findings: [Rule: Int] = [:]

    init(
      _ folded: InMemoryLedger, _ account: NameNumber, _ environment: StoreEnvironment,
      at moment: Int64
    ) {
      let answer = folded.answer(
        .account(account), environments: EnvironmentSet(environment), at: moment)
      states = answer.entries.map {
        "\($0.product) \($0.entitlement ?? "") \($0.state) \($0.since) \($0.expiresAt ?? 0)"
          + " \($0.entitlements) \($0.source)"
      }
      for balance in answer.balances { balances[balance.unit] = balance.amount }
      installed = folded.installed(.account(account), environments: EnvironmentSet(environment))
        .map { "\($0.device) \($0.product) \($0.version)" }.sorted()
      for finding in folded.findings
      where finding.account == account && finding.environment == environment
        && ![Rule.versionNotIncreased, .digestMismatch].contains(finding.rule)
      {
        findings[finding.rule, default: 0] += 1
      }
    }
  }

  @Test(
    "says whom another reducer answers otherwise, and what",
    arguments: [
      [EventKind.transactionRefunded, .transactionRevoked], [.contentInstalled],
      [.transactionFinished], [.transactionPurchased], [.consumableConsumed],
    ])
  func planted(_ kinds: [EventKind]) throws {
    let left = { (fact: Fact) in kinds.contains(fact.kind) }
    try plant(leavingOut: left)
    let reported = try report()
    #expect(reported.report.storedReducer == Reducer.version + 7)
    let numbered = NumberedEvents(events)
    let whole = InMemoryLedger(folding: numbered.facts, texts: numbered)
    let other = InMemoryLedger(folding: numbered.facts.filter { !left($0) }, texts: numbered)
    for account in Set(events.compactMap(\.event.account)).sorted() {
      let number = numbered.number(.account, account)
      for environment in StoreEnvironment.allCases {
        let newest =
          [whole, other].compactMap {
            $0.unit(of: number)?.newestEvent(
              of: .account(number), environments: EnvironmentSet(environment))
          }.max() ?? 0
        let before = Sides(other, number, environment, at: newest)
        let after = Sides(whole, number, environment, at: newest)
        let found = reported.revisions.first {
          $0.account == account && $0.environment == environment
        }
        let note: Comment = "\(kinds), \(account) in \(environment)"
        // Differences that appear only later, or only in open items, are reported as well.
        if before.states != after.states { #expect(found?.answer?.entries.isEmpty == false, note) }
        #expect(
          before.balances.filter { after.balances[$0.key] != $0.value }.keys.sorted()
            == found?.answer?.balances.filter { $0.before != 0 }.map(\.unit) ?? [], note)
        #expect((before.installed != after.installed) == (found?.installed.isEmpty == false), note)
        for rule in Rule.allCases where !rule.isJudgedAtAMoment {
          let reported = found?.findings.first { $0.rule == rule.id }
          #expect(
            (before.findings[rule] ?? 0) - (reported?.before ?? 0)
              == (after.findings[rule] ?? 0) - (reported?.after ?? 0), "\(note), \(rule.id)")
        }
      }
    }
    #expect(reported.report.isDifferent)
    #expect(reported.report.changed == Set(reported.revisions.compactMap(\.account)).count)
  }

  @Test("goes before a rebuild, until which nothing of the other is gone on with")
  func refused() throws {
    try plant { $0.kind == .transactionRefunded }
    let questions = LedgerQuestions(walk.arrived)
    expectRefused { _ = try LedgerStatement(walk.ledger(), questions) }
    expectRefused { try walk.ledger().fold() }
    let lookup = AnswerLookup(try walk.ledger())
    expectRefused {
      _ = try lookup.answer(
        ItemQuestion(
          account: "a", item: ItemReference("b", isEntitlement: false), environments: .production,
          at: nil, now: Instant(microseconds: 0)))
    }
    #expect(try walk.ledger().checkProjections().first?.contains("--report") == true)
    // Meanwhile, events can be appended, and a duplicate is recognized.
    let again = try walk.ledger().appendAndWait(
      [EventInput(event: events[0].event, position: 1, recordedAt: events[0].recordedAt)])
    #expect(again.appendedCount == 0)
    lookup.release()
    try walk.ledger().rebuild()
    #expect(try walk.ledger().checkProjections() == [])
    #expect(try report().revisions.isEmpty)
    try walk.take(.oracle)
    #expect(walk.differences.isEmpty)
  }

  private func writeCheckpointOfAnotherFormat() throws {
    let projections = try #require(try walk.ledger().source.live())
    try projections.environment.write { transaction in
      let key = Array("checkpoint".utf8)
      try transaction.put(projections.tables.meta, key.span, [0, 0, 0, 1, 7].span)
    }
  }

  @Test("of another format is not to be had, and a rebuild makes it good") func format() throws {
    try writeCheckpointOfAnotherFormat()
    walk.close()
    let error = #expect(throws: LedgerError.self) { try report() }
    #expect(error?.code == .rebuildNeeded)
    try walk.ledger().rebuild()
    #expect(try report().revisions.isEmpty)
  }

  @Test("is refused where the other reducer's last fold was cut short") func cutShort() throws {
    try plant { _ in false }
    let projections = try #require(try walk.ledger().source.live())
    try projections.environment.write { transaction in
      var (key, row): ([UInt8], [UInt8]) = ([], [])
      do {
        var cursor = try transaction.view.cursor(projections.tables.units.table)
        #expect(try cursor.first())
        key = [UInt8](copying: cursor.key)
        let content = try projections.tables.units.content(of: cursor.value, under: cursor.key)
        row = [UInt8](copying: content)
      }
      row.setBigEndianWord(UInt64(events.count) + 1, at: 0)
      try projections.tables.units.put(key.span, row, &transaction)
    }
    let error = #expect(throws: LedgerError.self) { try report() }
    #expect(error?.code == .busy)
  }
}
