import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// Damage to the list of what was erased.
@Suite("Salvage after an erasure") struct SalvageErasureTests {
  private let whole: DamagedLedger

  init() throws { whole = try DamagedLedger() }

  /// Damages one row of the list, and salvages with the ledger's own key file and with one from
  /// before the erasure.
  ///
  /// - Returns: The reports; nil for a copy of the key file that was refused.
  private func salvage(
    _ row: ErasedSlot, _ change: (inout [UInt8]) -> Void
  ) throws -> [(report: SalvageReport, events: [RecordedEvent])?] {
    let log = try whole.replaced(Self.row(row), change)
    return try [nil, whole.oldKeys].map { keys in
      do {
        let (report, events, _) = try whole.salvage(try whole.copy(log), keys: keys)
        return (report, events)
      } catch let error as LedgerError {
        #expect(error.code == .keysMissing && keys != nil, "\(error)")
        return nil
      }
    }
  }

  /// The rows of a name and of a text.
  private func examples() throws -> [ErasedSlot] {
    [
      try #require(whole.erased.first { $0.number != 0 }),
      try #require(whole.erased.last { $0.event != 0 }),
    ]
  }

  @Test("repairs a slot with a flipped bit: nothing comes back, and nobody else loses a key")
  func slots() throws {
    var accepted = 0
    for row in try examples() {
      for bit in 0..<8 {
        let found = try salvage(row) { $0[3] ^= 1 << UInt8(bit) }
        // Of two rows with one slot, neither counts.
        let isTaken = whole.erased.contains { $0.slot == row.slot ^ 1 << UInt32(bit) }
        for case .some(let (report, events)) in found where !isTaken {
          #expect(report.isComplete, "slot \(row.slot), bit \(bit)")
          #expect(whole.isWhole(events), "slot \(row.slot), bit \(bit)")
        }
        accepted += found.last.flatMap { $0 } == nil ? 0 : 1
      }
    }
    #expect(accepted > 0)
  }

  @Test("repairs the slot of what was erased, which may become somebody else's or a far one")
  func slotsOfErased() throws {
    for erased in try examples() {
      let isName = erased.number != 0
      let row = isName ? try whole.personRow(erased.number) : try whole.personalRow(erased.event)
      for bit in [0, 1, 2, 3, 4, 5, 6, 7, 14, 22, 30, 31] {
        let log = try whole.replaced(row) { row in
          row[(isName ? SealedName.slotAt : 0) + 3 - bit / 8] ^= 1 << UInt8(bit % 8)
        }
        let (report, events, path) = try whole.salvage(try whole.copy(log))
        #expect(report.isComplete, "slot \(erased.slot), bit \(bit)")
        #expect(whole.isWhole(events), "slot \(erased.slot), bit \(bit)")
        let saved = try EventLog(open: path, access: .readOnly)
        let slots = try saved.read { (view) throws(LedgerError) in try view.lastSlot() }
        #expect(slots < 10_000, "slot \(erased.slot), bit \(bit)")
        try saved.close()
      }
    }
  }

  @Test("never opens what was erased, whatever bit of the list is flipped", arguments: 4..<24)
  func values(_ byte: Int) throws {
    let found = try salvage(try examples()[byte % 2]) { $0[byte] ^= byte < 12 ? 8 : 1 }
    let own = try #require(found.first.flatMap { $0 })
    #expect(own.report.kept > 0)
  }

  @Test("a flipped bit in the number of erased rows keeps no copy of the keys out")
  func count() throws {
    for (byte, bit) in [(0, 1), (2, 4), (7, 64)] as [(Int, UInt8)] {
      let log = try whole.table("erased") { $0[32 + byte] ^= bit }
      let (report, events, _) = try whole.salvage(try whole.copy(log), keys: whole.oldKeys)
      #expect(report.isComplete)
      #expect(whole.isWhole(events))
    }
  }

  @Test("refuses a copy of the keys where the list is an earlier one and its newest page is lost")
  func earlierList() throws {
    var erasure = Event(
      id: "another", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = "account-4"
    let path = try whole.copy()
    let ledger = try Ledger(at: path, clock: fixedClock)
    try ledger.erase(erasure)
    let rows = try ledger.log.read { (view) throws(LedgerError) in try view.erasedSlots() }
    try ledger.close()
    let data = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(path)))
    let first = try #require(whole.erased.first)
    let last = try #require(rows.max { $0.position < $1.position })
    let old = try #require(
      DamagedLedger.pages(of: data, with: Self.row(first)).subtracting(
        DamagedLedger.pages(of: data, with: Self.row(last))
      ).max())
    let new = try #require(DamagedLedger.pages(of: data, with: Self.row(last)).max())
    var log = try DamagedLedger.table("erased", of: data) { record in
      // The root of the table's tree.
      record.replaceSubrange(40..<48, with: DamagedLedger.pageNumber(old))
    }
    log.resetBytes(in: new * DamagedLedger.pageBytes..<(new + 1) * DamagedLedger.pageBytes)
    try log.write(to: URL(filePath: DamagedLedger.dataFile(path)))
    #expect(throws: LedgerError(.keysMissing, "")) {
      try Ledger.salvage(path, into: path + "-new", keys: whole.oldKeys)
    }
  }

  /// A row of the list as it is in its page.
  private static func row(_ erased: ErasedSlot) -> [UInt8] {
    [UInt8](copying: bigEndianKey(erased.slot).span) + erased.value
  }
}
