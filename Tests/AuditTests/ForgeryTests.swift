import Foundation
import LMDB
import LedgerHistories
import Testing

@testable import Audit
@testable import LedgerEvents
@testable import LedgerLog
@testable import LedgerStore

/// What somebody does who may write the ledger's folder, knows its format, and makes checksums and
/// the nodes of the tree anew; the auditor has a checkpoint that was signed before.
@Suite("A ledger whose folder somebody else has written")
struct ForgeryTests {
  private let ledger: TamperedLog
  private let signed: [SignedCheckpoint]
  private let oldKeys: [UInt8]
  private let ada: NameNumber
  private let eve: NameNumber
  /// The position of what an operator wrote.
  private static let operatorPosition: UInt64 = 3

  init() throws {
    let path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    let ledger = try Ledger.create(at: path, options: Environment.Options(sync: .onRequest))
    let history = Histories.dense(seed: 5, count: 40).map { EventInput(event: $0.event) }
    try ledger.appendAndWait(try Self.events() + history)
    let keyFile = try FlatFile.open("\(path)/keys", isWritable: false)
    oldKeys = try keyFile?.read(at: 0, count: 1 << 20) ?? []
    try ledger.erase(
      Event(
        id: "erasure", type: EventType(.accountErased),
        occurredAt: Instant(microseconds: 1_800_000_000_000_000), account: "bob@example.org"))
    (ada, eve) = try ledger.log.read { (view) throws(LedgerError) in
      (try view.record(at: 1).number(.account), try view.record(at: 2).number(.account))
    }
    // The projections are closed with the ledger; the log is opened again by whoever forges it.
    try ledger.close()
    let log = try EventLog(open: path, options: Environment.Options(sync: .onRequest))
    self.ledger = try TamperedLog(log)
    signed = [try self.ledger.checkpoint(at: try self.ledger.count())]
  }

  private static func events() throws -> [EventInput] {
    try [
      #"{"id":"p1","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
        + #""account":"ada@example.org","transaction":"t-1","product":"atlas"}"#,
      #"{"id":"p2","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
        + #""account":"eve@example.org","transaction":"t-2","product":"globe"}"#,
      #"{"id":"o1","type":"note.added","occurredAt":"2026-03-01T11:00:00Z","#
        + #""account":"eve@example.org","data":{"text":"refund refused","operator":"kim"}}"#,
      #"{"id":"p3","type":"transaction.purchased","occurredAt":"2026-03-01T12:00:00Z","#
        + #""account":"bob@example.org","transaction":"t-3","product":"atlas"}"#,
      #"{"id":"n3","type":"note.added","occurredAt":"2026-03-01T12:00:01Z","#
        + #""account":"bob@example.org","data":{"text":"rang from Lisbon"}}"#,
    ].map { EventInput(event: try EventDecoder().decode(line: Array($0.utf8)).event) }
  }

  private func people(_ number: NameNumber) throws -> [UInt8] {
    try ledger.log.read { (view) throws(LedgerError) in
      guard let row = try view.nameRow(number, in: view.tables.people) else { return [] }
      return [UInt8](copying: row)
    }
  }

  /// The row of a person's name without its key, as those of late events about erased people are.
  private func keyless(_ row: [UInt8]) -> [UInt8] {
    var row = Array(row.prefix(SealedName.headByteCount))
    row[1] |= 0x80
    return row
  }

  private func damage() throws -> Set<LogFault.Part> {
    Set(try ledger.log.verify().damage.map(\.part))
  }

  private func isAsSigned() throws -> Bool { try ledger.compare(signed).allFit }

  @Test("is intact, and as it was signed, before") func before() throws {
    #expect(try damage() == [])
    #expect(try isAsSigned())
  }

  @Test("shows a purchase that was given to somebody else") func givenAway() throws {
    var (first, second) = (try people(ada), try people(eve))
    // Who is found by which hash is exchanged, and the keys that would show it are done without.
    let hash = 5..<21
    let adas = first[hash]
    first.replaceSubrange(hash, with: second[hash])
    second.replaceSubrange(hash, with: adas)
    let rows = [(ada, keyless(first)), (eve, keyless(second))]
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      for (number, row) in rows {
        let key = bigEndianKey(number)
        try transaction.put(tables.people, key.span, row.span)
      }
    }
    #expect(try damage().contains(.erasure))
    #expect(try !isAsSigned())
  }

  @Test("shows that what an operator wrote was wiped") func wiped() throws {
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      let slot: [UInt8] = [0x80, 0, 0, 1]
      try transaction.put(tables.personal, Self.operatorPosition, slot.span)
    }
    #expect(try damage() == [.personal])
  }

  @Test("shows that what an operator wrote was listed as erased") func wipedByList() throws {
    let erasure = try ledger.count()
    let slot = try ledger.log.read { (view) throws(LedgerError) in
      try view.livingSlot(ofData: Self.operatorPosition)
    }
    let row = ErasedSlot(
      slot: try #require(slot), position: erasure, event: Self.operatorPosition)
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.erased, row.slot.bigEndianBytes.span, row.value.span)
    }
    // The list fits what it is about, and is another one than was signed.
    #expect(try !isAsSigned())
    let stranger = ErasedSlot(slot: row.slot, position: erasure, event: 1)
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.erased, stranger.slot.bigEndianBytes.span, stranger.value.span)
    }
    #expect(try damage().contains(.erasure))
  }

  @Test("shows that a customer was made to vanish") func vanished() throws {
    let row = keyless(try people(ada))
    let key = bigEndianKey(ada)
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.people, key.span, row.span)
    }
    #expect(try damage() == [.erasure])
  }

  @Test("shows that a customer's name was put under a key that was destroyed")
  func vanishedUnderAnotherKey() throws {
    var row = try people(ada)
    let slot = try ledger.log.read { (view) throws(LedgerError) in try view.erasedSlots()[0].slot }
    row.replaceSubrange(1..<5, with: slot.bigEndianBytes)
    let (forged, key) = (row, bigEndianKey(ada))
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.people, key.span, forged.span)
    }
    #expect(try damage() == [.erasure])
  }

  @Test("shows that an erasure was undone") func undone() throws {
    let slots = try ledger.log.read { (view) throws(LedgerError) in try view.erasedSlots() }
    #expect(slots.count > 1)
    try ledger.tamper { (transaction, tables) throws(LMDBError) in
      for row in slots { _ = try transaction.delete(tables.erased, row.slot.bigEndianBytes.span) }
    }
    let keys = try FlatFile.open("\(ledger.log.path)/keys", isWritable: true)
    try keys?.write(oldKeys, at: 0)
    #expect(try !isAsSigned())
  }
}
