import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// Erasures that were committed and whose process died before it overwrote the keys.
@Suite("An interrupted erasure") struct InterruptedErasureTests {
  private let fixture: ErasureFixture

  init() throws {
    fixture = try ErasureFixture([
      bought("a1", "ada", "iphone", on: "2026-01-01", #","data":{"error":{"message":"her card"}}"#),
      bought("b1", "bob", "android", on: "2026-01-02"),
    ])
    try fixture.ledger.eraseAndLeave(ErasureFixture.erasure("ada", "e1", at: "2026-05-01"))
  }

  /// Appends so many events that the tree has a node above the erasure. Then opening the ledger
  /// does not hash the erasure again.
  private func append20() throws {
    try fixture.append((0..<20).map { bought("c\($0)", "bob", "android", on: "2026-05-02") })
  }

  /// Everything that names the erased customer.
  private static func isHers(_ line: String) -> Bool {
    ["ada", "iphone", "her card"].contains { line.contains($0) }
  }

  /// The slots of the list, which are the customer's.
  private func slots() throws -> [UInt32] {
    try fixture.ledger.log.read { (view) throws(LedgerError) in
      try view.erasedSlots().map(\.slot)
    }
  }

  /// Changes the rows of the list of what was erased.
  private func damageList(_ change: (UInt32, inout WriteTransaction) throws -> Void) throws {
    let slots = try slots()
    try #require(slots.count == 3)
    var transaction = try fixture.ledger.log.environment.beginWrite()
    for slot in slots { try change(slot, &transaction) }
    try transaction.commit()
  }

  /// Removes the list and, if that is asked for, the mark.
  private func loseList(andMark isMarkLost: Bool = false) throws {
    let tables = fixture.ledger.log.tables
    try damageList { slot, transaction in
      _ = try transaction.delete(tables.erased, slot.bigEndianBytes.span)
      let mark = LogIdentity.Row.erasing.bytes
      if isMarkLost { _ = try transaction.delete(tables.meta, mark.span) }
    }
  }

  @Test("is completed by the next process that writes, and verify says so before")
  func completed() throws {
    let before = try fixture.ledger.log.verify()
    #expect(before.faults == [] && before.unfinishedErasure == 3)
    try fixture.reopen()
    let after = try fixture.ledger.log.verify()
    #expect(after.faults == [] && after.unfinishedErasure == nil)
    #expect(try !fixture.shown().contains(where: Self.isHers))
  }

  @Test("is completed even if the list of what it erased is lost: nothing comes back")
  func lostList() throws {
    try append20()
    let keys = fixture.keys
    let slots = try slots()
    try loseList()
    // The control: without the list, her name can still be read.
    #expect(try fixture.shown().contains(where: Self.isHers))
    let before = try fixture.ledger.log.verify()
    #expect(!before.damage.isEmpty && before.unfinishedErasure == 3)
    try fixture.reopen()
    #expect(try !fixture.shown().contains(where: Self.isHers))
    #expect(try fixture.ledger.log.verify().unfinishedErasure == nil)
    let bytes = try Data(contentsOf: keys)
    for slot in slots {
      let offset = PersonalKeys.offset(slot)
      #expect(bytes[offset..<offset + 32].allSatisfy { $0 == 0 }, "slot \(slot)")
    }
    #expect(try fixture.shown().contains { $0.contains("bob") && $0.contains("android") })
  }

  @Test("whose list is lost right away keeps the ledger from being opened")
  func refused() throws {
    try loseList()
    #expect(throws: LedgerError(.corrupt, "")) { try fixture.reopen() }
  }

  @Test(
    "and erased again after its list was lost, is listed again: even if its mark is lost, too",
    arguments: [false, true])
  func erasedAgain(isMarkLost: Bool) throws {
    try append20()
    try loseList(andMark: isMarkLost)
    try fixture.reopen()
    // The projections note the root that the log had when they were folded.
    try fixture.ledger.rebuild()
    #expect(try fixture.shown().contains(where: Self.isHers) == isMarkLost)
    let again = try fixture.erase("ada", "e2", at: "2026-06-01")
    #expect(!again.isDuplicate && again.names == 2 && again.texts == 1)
    let shown = try fixture.shown()
    #expect(!shown.contains(where: Self.isHers))
    #expect(shown.contains { $0.contains("erased:") } && !shown.contains { $0.contains("sealed:") })
    // The list of the first erasure is still not what the tree holds of it.
    #expect(try !fixture.ledger.log.verify().damage.isEmpty)
  }

  /// The list leads before the first event, to another one, or after the last one.
  @Test(
    "is erased again even if the list leads to no erasure", arguments: [0, 1, 99, .max] as [UInt64])
  func listLeadsElsewhere(_ position: UInt64) throws {
    try fixture.reopen()
    try fixture.append([
      event(
        "x1", "notification.received", on: "2026-01-20",
        #""source":"notification","transaction":"t-a1","#
          + #""data":{"notificationType":"NEW","appAccountToken":"token of ada"}"#)
    ])
    let rows = try fixture.ledger.log.read { (view) throws(LedgerError) in try view.erasedSlots() }
    let table = fixture.ledger.log.tables.erased
    try damageList { slot, transaction in
      let row = try #require(rows.first { $0.slot == slot })
      let damaged = [UInt8](bigEndianWord: position) + row.value.dropFirst(8)
      try transaction.put(table, slot.bigEndianBytes.span, damaged.span)
    }
    let again = try fixture.erase("ada", "e2", at: "2026-06-01")
    #expect(again.texts == 1)
    #expect(try !fixture.shown().contains { $0.contains("token of ada") })
  }

  @Test("of which another erasure begins first keeps the slots of both in its mark")
  func twoErasures() throws {
    let first = try #require(
      try fixture.ledger.log.read { (view) throws(LedgerError) in
        try ErasureMark(view.view, view.tables)
      })
    #expect(try first.slots == slots().sorted() && first.position == 3)
    var scope = ErasureScope()
    scope.names = [77: 5]
    let second = ErasureMark(position: 9, scope, after: first)
    #expect(second.position == 9 && second.slots == first.slots + [77])
    #expect(ErasureMark(second.value) == second)
    for count in [0, 7, 9, 11] {
      #expect(ErasureMark(Array(second.value.prefix(count))) == nil, "\(count) bytes")
    }
  }

  @Test("destroys its keys even if the list cannot be read, and is complete then")
  func unreadableList() throws {
    let slots = try slots()
    let table = fixture.ledger.log.tables.erased
    try damageList { slot, transaction in
      try transaction.put(table, slot.bigEndianBytes.span, ([1, 2, 3] as [UInt8]).span)
    }
    #expect(throws: LedgerError(.corrupt, "")) { try fixture.ledger.finishErasure() }
    #expect(try fixture.ledger.log.erasureMark() == nil)
    let keys = try #require(fixture.ledger.log.tables.texts.keys)
    for slot in slots { #expect(try keys.secret(slot) == nil, "slot \(slot)") }
  }

  @Test("hides no key of an earlier erasure that was put back") func earlierKeys() throws {
    try fixture.reopen()
    let slots = try slots()
    let file = try FileHandle(forUpdating: fixture.keys)
    for slot in slots {
      try file.seek(toOffset: UInt64(PersonalKeys.offset(slot)))
      try file.write(contentsOf: [UInt8](repeating: 7, count: Secret.byteCount))
    }
    try file.close()
    let erased = try ErasureFixture.erasure("bob", "e2", at: "2026-06-01")
    try fixture.ledger.eraseAndLeave(erased)
    let found = try fixture.ledger.log.verify()
    #expect(found.unfinishedErasure != nil)
    #expect(found.faults.map(\.part) == [.erasedKey])
    #expect(found.faults.first?.message.contains("3 erased names and texts") == true)
  }

  // MARK: - Salvage

  /// Closes the ledger, and returns its log with the newest meta page damaged.
  private func withoutNewestCommit() throws -> Data {
    try fixture.ledger.close()
    var log = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(fixture.ledger.path)))
    let newest = log[144] > log[DamagedLedger.pageBytes + 144] ? 0 : 1
    log.resetBytes(in: newest * DamagedLedger.pageBytes..<newest * DamagedLedger.pageBytes + 200)
    return log
  }

  private func salvaged(_ log: Data) throws -> (notes: [String], shown: [String]) {
    let path = fixture.ledger.path
    try log.write(to: URL(filePath: DamagedLedger.dataFile(path)))
    try FileManager.default.removeItem(atPath: path + "/root")
    let (report, _) = try Ledger.salvage(path, into: path + "-saved")
    let saved = try Ledger(at: path + "-saved")
    let shown = try saved.log.allEvents().map {
      String(decoding: EventEncoder().encode($0.event), as: UTF8.self)
    }
    try saved.close()
    return (report.notes, shown)
  }

  @Test("whose commit failed destroys no key, and salvage says that it may have happened")
  func failedErasure() throws {
    let record = try fixture.ledger.log.read { (view) throws(LedgerError) in
      [UInt8](copying: try view.recordBytes(at: 3))
    }
    var log = try withoutNewestCommit()
    // What the commit wrote of the erasure itself never reached the disk.
    while let range = log.range(of: Data(record)) { log.resetBytes(in: range) }
    let (notes, shown) = try salvaged(log)
    #expect(notes.contains { $0.contains("an erasure may have been interrupted") }, "\(notes)")
    #expect(shown.contains(where: Self.isHers))
  }

  @Test("is completed by salvage if the newest commit cannot be read and the erasure is kept")
  func keptErasure() throws {
    let (notes, shown) = try salvaged(try withoutNewestCommit())
    #expect(notes.contains { $0.contains("position 3 may have been interrupted") }, "\(notes)")
    #expect(!shown.contains(where: Self.isHers))
  }

  @Test("is reported by salvage if its mark is damaged") func damagedMark() throws {
    let mark = try #require(try fixture.ledger.log.erasureMark())
    let path = fixture.ledger.path
    try fixture.ledger.close()
    var log = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(path)))
    var found = 0
    while let range = log.range(of: Data(mark.value)) {
      log[range.lowerBound] ^= 1
      found += 1
    }
    try #require(found > 0)
    try log.write(to: URL(filePath: DamagedLedger.dataFile(path)))
    let (report, _) = try Ledger.salvage(path, into: path + "-saved")
    #expect(report.notes.contains { $0.contains("an erasure may have been interrupted") })
  }

  @Test("is completed by salvage, whether its list is whole or damaged", arguments: [true, false])
  func salvaged(isWhole: Bool) throws {
    if !isWhole {
      let table = fixture.ledger.log.tables.erased
      let zeros = [UInt8](repeating: 0, count: ErasedSlot.valueByteCount)
      try damageList { slot, transaction in
        try transaction.put(table, slot.bigEndianBytes.span, zeros.span)
      }
    }
    let path = fixture.ledger.path
    try fixture.ledger.close()
    let (report, _) = try Ledger.salvage(path, into: path + "-saved")
    #expect(report.notes.contains { $0.contains("position 3 was interrupted") }, "\(report.notes)")
    #expect(report.kept == 3 && report.namesWithoutKey == 0 && report.textsWithoutKey == [])
    let saved = try Ledger(at: path + "-saved")
    func shown() throws -> [String] {
      try saved.log.allEvents().map {
        String(decoding: EventEncoder().encode($0.event), as: UTF8.self)
      }
    }
    #expect(try !shown().contains(where: Self.isHers))
    #expect(try shown().contains { $0.contains(isWhole ? "erased:" : "sealed:") })
    #expect(try saved.log.verify().damage == [])
    if !isWhole {
      #expect(report.notes.contains { $0.contains("the erasure at position 3 destroyed") })
      let again = try saved.erase(try ErasureFixture.erasure("ada", "e2", at: "2026-06-01"))
      #expect(again.names == 2)
      #expect(try !shown().contains { $0.contains("sealed:") })
    }
    try saved.close()
  }
}
