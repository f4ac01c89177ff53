import LedgerEvents
import LogTesting
import Synchronization
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
        names[try view.nameHash(number + 1, hash), default: [1]].append(number + 1)
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

  @Test("does not ask an index that reaches beyond the log: it is of another one")
  func beyond() throws {
    let log = try EventLog.makeNew(folder)
    try log.appendAndWait(inputs(0..<10))
    let index = try PartialIndex(log, reach: 10)
    try log.close()
    let other = try TemporaryFolder()
    let shorter = try EventLog.makeNew(other)
    let failures = IndexFailures()
    shorter.useIndex({ index }, failed: failures.add)
    #expect(try shorter.appendAndWait(inputs(0..<1)).appendedCount == 1)
    #expect(failures.codes == [.rebuildNeeded])
  }

  @Test("is done without where it cannot be read, for whatever reason")
  func unavailable() throws {
    let log = try EventLog.makeNew(folder)
    try log.appendAndWait(inputs(0..<1))
    let failures = IndexFailures()
    log.useIndex(
      { () throws(LedgerError) in throw LedgerError(.io, "The disk is gone.") },
      failed: failures.add)
    #expect(try log.appendAndWait(inputs(0..<2)).appendedCount == 1)
    #expect(failures.codes == [.io])
  }

  @Test("that misses what is there doubles it, which verify tells")
  func lying() throws {
    let log = try EventLog.makeNew(folder)
    try log.appendAndWait(inputs(0..<20))
    try log.close()
    let again = try EventLog(open: folder.ledger, clock: fixedClock)
    let size = try again.statistics()
    again.useIndex { BlindIndex(reach: size.lastPosition, nameReach: size.lastNameNumber) }
    #expect(try again.appendAndWait(inputs(7..<9)).appendedCount == 2)
    let faults = try again.verify().faults
    // They are listed in the order of their hashes, which is another one in each ledger.
    #expect(Set(faults.filter { $0.part == .record }.compactMap(\.position)) == [21, 22])
    #expect(Set(faults.filter { $0.part == .name }.compactMap(\.number)).count >= 5)
    #expect(faults.allSatisfy { $0.part == .record || $0.part == .name })
  }

  /// At each of these points an index can prove to be damaged; whatever was taken into the group
  /// by then is appended all the same, and once.
  @Test("finds everything in the log when the index fails", arguments: IndexFault.allCases)
  func damaged(_ fault: IndexFault) throws {
    let log = try EventLog.makeNew(folder)
    try log.appendAndWait(inputs(0..<40))
    try log.close()
    let again = try EventLog(open: folder.ledger, clock: fixedClock)
    let index = FailingIndex(fault)
    let failures = IndexFailures()
    again.useIndex(
      { () throws(LedgerError) in
        if fault == .opening { throw LedgerError(.rebuildNeeded, "It is damaged.") }
        return index
      }, failed: failures.add)
    let names = try again.statistics().lastNameNumber
    // As one group: this index finds no id, so only a failure in the same group saves the events.
    let tickets = try again.whileWriterIsHeld {
      try (0..<8).map { round in try again.submit(inputs(round * 5..<round * 5 + 6)) }
    }
    let outcomes = try tickets.map { try $0.wait().appendedCount }
    #expect(outcomes == [0, 0, 0, 0, 0, 0, 0, 1])
    // The new event's transaction is the only new name.
    #expect(try again.statistics().lastNameNumber == names + 1)
    #expect(!failures.codes.isEmpty)
    #expect(try again.verify().faults.isEmpty)
  }
}

/// Where an index fails.
enum IndexFault: CaseIterable {
  case opening, ids, names
}

/// An index that claims everything and fails when it is asked.
private struct FailingIndex: LogIndex {
  let fault: IndexFault
  init(_ fault: IndexFault) { self.fault = fault }

  var reach: UInt64 { 40 }
  var nameReach: NameNumber { fault == .names ? 12 : 0 }

  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    if fault == .ids { throw LedgerError(.rebuildNeeded, "It is damaged.") }
    return []
  }

  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    throw LedgerError(.rebuildNeeded, "It is damaged.")
  }
}

/// An index that claims everything and finds nothing.
private struct BlindIndex: LogIndex {
  let reach: UInt64
  let nameReach: NameNumber
  func positions(ofIDs hashes: [UInt64]) -> [KeyCandidate] { [] }
  func numbers(ofNames hashes: [UInt64]) -> [KeyCandidate] { [] }
}

/// What an index failed with.
private final class IndexFailures: Sendable {
  private let found = Mutex<[LedgerError.Code]>([])
  var codes: [LedgerError.Code] { found.withLock { $0 } }
  @Sendable func add(_ error: LedgerError) { found.withLock { $0.append(error.code) } }
}
