import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

@Suite("A group of batches")
struct LogGroupTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func appender(_ log: EventLog) -> LogAppender {
    LogAppender(
      environment: log.environment, tables: log.tables, keyHash: log.identity.keyHash,
      roots: log.roots, clock: fixedClock)
  }

  /// Commits batches in one group and returns the result of each.
  private func commit(
    _ batches: [[EventInput]], _ appender: inout LogAppender, _ log: EventLog,
    _ hooks: WriterHooks = WriterHooks()
  ) throws -> [Result<AppendResult, LedgerError>] {
    let waiting = try batches.map { (inputs) throws(LedgerError) in
      PendingAppend(
        batch: try PreparedBatch(
          inputs, AppendOptions(), log.identity.keyHash, try log.tables.texts.keys?.head()),
        condition: nil,
        answer: { _ in })
    }
    // Even on a slow machine, the batches of a test are one group.
    var hooks = hooks
    hooks.groupTimeMax = .seconds(3_600)
    var taken = 0
    let answers = appender.commitGroup(hooks) { _ in
      guard taken < waiting.count else { return nil }
      taken += 1
      return waiting[taken - 1]
    }
    return answers.map(\.result)
  }

  private func codes(_ answers: [Result<AppendResult, LedgerError>]) -> [LedgerError.Code?] {
    answers.map { if case .failure(let error) = $0 { error.code } else { nil } }
  }

  @Test("is one commit, and its batches stand in their order")
  func oneCommit() throws {
    let log = try EventLog.makeNew(folder)
    var appender = appender(log)
    let before = try log.snapshot().commit
    let answers = try commit(
      [[progress("a")], [progress("b"), progress("a")], [note("c", "x")]], &appender, log)
    #expect(
      try answers.map { try $0.get().outcomes } == [
        [.appended(1)], [.appended(2), .duplicate(1)], [.appended(3)],
      ])
    #expect(try log.snapshot().commit == before + 1)
  }

  @Test("takes a refused batch out again, and goes on as if it had never been there")
  func takenOut() throws {
    let log = try EventLog.makeNew(folder)
    var appender = appender(log)
    var hooks = WriterHooks()
    hooks.consumption = { (pending, _) throws(LedgerError) in
      throw LedgerError(.notCovered, "Nothing is covered.", position: pending.required[0])
    }
    var consumption = progress("spent")
    consumption.event.type = EventType(.consumableConsumed)
    consumption.event.data = EventData(members: [
      EventData.Member(name: "unit", json: Array("\"coins\"".utf8)),
      EventData.Member(name: "amount", json: Array("1".utf8)),
      EventData.Member(name: "required", json: Array("true".utf8)),
    ])
    var refused = (0..<40).map { progress("refused-\($0)", of: "refused-\($0)") }
    refused[30] = note("refused-note", "x")
    refused.append(consumption)
    let first = (0..<20).map { progress("first-\($0)", of: "first-\($0)") }
    let last = (0..<20).map { progress("last-\($0)", of: "last-\($0)") }
    let answers = try commit([first, refused, last, refused], &appender, log, hooks)
    #expect(codes(answers) == [nil, .notCovered, nil, .notCovered])
    #expect(try log.lastPosition() == 40)
    #expect(try log.verify().faults.isEmpty)

    // The same events in a log that has never seen the refused ones.
    let other = try TemporaryFolder()
    let clean = try EventLog.makeNew(other)
    try clean.appendAndWait(first + last)
    #expect(try clean.statistics().tables.map(\.entries) == log.statistics().tables.map(\.entries))
    // Two ledgers never have the same root, because each commits to people's names with its own
    // nonces.
    for position in 1...UInt64(40) {
      #expect(try record(position, of: log) == record(position, of: clean))
    }
  }

  private func record(_ position: UInt64, of log: EventLog) throws -> [UInt8] {
    try log.read { (view) throws(LedgerError) in
      [UInt8](copying: try view.recordBytes(at: position))
    }
  }

  @Test("that does not fit leaves nothing in the log and nothing in the writer's memory")
  func doesNotFit() throws {
    try EventLog.makeNew(folder).close()
    let log = try EventLog(open: folder.ledger, options: .init(mapSize: 1 << 20))
    var appender = appender(log)
    let few = (0..<5).map { progress("few-\($0)", of: "few-\($0)") }
    let many = (0..<20_000).map { progress("many-\($0)", of: "many-\($0)") }
    let answers = try commit([few, many, few], &appender, log)
    #expect(codes(answers) == [.full, .full])
    #expect(try log.lastPosition() == 0)
    try log.environment.grow(mapSize: 1 << 28)
    // Names arrive in another order now, so a number that was kept from before would be wrong.
    let again = try commit([[progress("new", of: "new")], few.reversed(), many], &appender, log)
    #expect(codes(again) == [nil, nil, nil])
    #expect(try log.lastPosition() == 20_006)
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("that cannot begin answers one batch at least, so that a writer comes to an end")
  func cannotBegin() throws {
    let log = try EventLog.makeNew(folder)
    var appender = appender(log)
    try log.close()
    let answers = try commit([[progress("a")], [progress("b")]], &appender, log)
    #expect(codes(answers) == [.closed])
  }
}
