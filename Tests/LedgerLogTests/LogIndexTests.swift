import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

/// An index up to a position, built from the log. It also returns wrong candidates.
private struct PartialIndex: LogIndex {
  let reach: UInt64
  let nameReach: NameNumber
  private let ids: [UInt64: [UInt32]]
  private let names: [UInt64: [UInt32]]

  init(_ log: EventLog, reach: UInt64) throws {
    let hash = log.identity.keyHash
    var ids: [UInt64: [UInt32]] = [:]
    var names: [UInt64: [UInt32]] = [:]
    var last: NameNumber = 0
    try log.read { (view) throws(LedgerError) in
      var buffer: [UInt8] = []
      for position in 0..<reach {
        let record = try view.record(at: position + 1)
        ids[hash.id(of: record, &buffer), default: [1]].append(UInt32(position + 1))
        for slot in NameSlot.allCases { last = max(last, record.number(slot)) }
      }
      for number in 0..<last {
        names[hash.name(try view.name(number + 1)), default: [1]].append(number + 1)
      }
    }
    self.reach = reach
    nameReach = last
    self.ids = ids
    self.names = names
  }

  func positions(ofIDs hashes: [UInt64]) -> [KeyCandidate] { candidates(hashes, ids) }
  func numbers(ofNames hashes: [UInt64]) -> [KeyCandidate] { candidates(hashes, names) }

  private func candidates(
    _ hashes: [UInt64], _ values: [UInt64: [UInt32]]
  ) -> [KeyCandidate] {
    hashes.enumerated().flatMap { index, hash in
      (values[hash] ?? []).map { KeyCandidate(index: index, value: $0) }
    }
  }
}

@Suite("The log with an index of ids and names")
struct LogIndexTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func inputs(_ range: Range<Int>) -> [EventInput] {
    range.map { progress("event-\($0)", of: "transaction-\($0)") }
  }

  @Test("knows ids and names below and beyond the index's reach", arguments: [0, 1, 20, 39, 40])
  func reaches(_ reach: UInt64) throws {
    let first = try EventLog.makeNew(folder)
    try first.appendAndWait(inputs(0..<40))
    try first.close()
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    let index = try PartialIndex(log, reach: reach)
    log.useIndex { index }
    let names = try log.statistics().lastNameNumber
    let again = try log.appendAndWait(inputs(0..<40))
    #expect(again.outcomes == (1...40).map { .duplicate($0) })
    let result = try log.appendAndWait([progress("new", of: "transaction-3")])
    #expect(result.outcomes == [.appended(41)])
    #expect(try log.statistics().lastNameNumber == names)
    #expect(log.tailSize().entries <= 2 * (41 - Int(reach)) + 6)
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("drops from memory what the index has caught up with, and misses nothing meanwhile")
  func catchesUp() throws {
    let log = try EventLog.makeNew(folder)
    for round in 0..<8 {
      try log.appendAndWait(inputs(round * 30..<round * 30 + 30))
      let index = try PartialIndex(log, reach: UInt64(round * 30))
      log.useIndex { index }
      let again = try log.appendAndWait(inputs(0..<round * 30 + 30))
      #expect(again.appendedCount == 0)
    }
    #expect(log.tailSize().entries <= 3 * 60)
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("reads the tail anew where an index reaches less far than the one before")
  func regresses() throws {
    let log = try EventLog.makeNew(folder)
    try log.appendAndWait(inputs(0..<30))
    let far = try PartialIndex(log, reach: 30)
    log.useIndex { far }
    try log.appendAndWait(inputs(30..<40))
    try log.appendAndWait(inputs(40..<50))
    log.useIndex { EmptyLogIndex() }
    #expect(try log.appendAndWait(inputs(0..<50)).appendedCount == 0)
  }

  @Test("refuses an index that reaches beyond the log: it is of another one")
  func beyond() throws {
    let log = try EventLog.makeNew(folder)
    try log.appendAndWait(inputs(0..<10))
    let index = try PartialIndex(log, reach: 10)
    try log.close()
    let other = try TemporaryFolder()
    let shorter = try EventLog.makeNew(other)
    shorter.useIndex { index }
    let error = #expect(throws: LedgerError.self) { try shorter.appendAndWait(inputs(0..<1)) }
    #expect(error?.code == .rebuildNeeded)
  }

  @Test("passes on why an index cannot be had, and appends once it can")
  func unavailable() throws {
    let log = try EventLog.makeNew(folder)
    log.useIndex { () throws(LedgerError) in
      throw LedgerError(.rebuildNeeded, "The index is missing.")
    }
    let error = #expect(throws: LedgerError.self) { try log.appendAndWait(inputs(0..<1)) }
    #expect(error?.code == .rebuildNeeded)
    log.useIndex { EmptyLogIndex() }
    #expect(try log.appendAndWait(inputs(0..<1)).appendedCount == 1)
  }
}
