import Foundation
import LMDB
import LedgerEvents
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// A ledger in which one record is not as it was written, as people go on using it.
@Suite("One damaged record") struct DamagedRecordTests {
  private static let position: UInt64 = 100
  private let whole: DamagedLedger

  init() throws { whole = try DamagedLedger() }

  /// Opens a copy that was folded before its record was damaged.
  private func damaged() throws -> Ledger {
    let path = try whole.copy()
    let ledger = try Ledger(at: path)
    try ledger.fold()
    try ledger.close()
    let file = URL(filePath: DamagedLedger.dataFile(path))
    var log = try Data(contentsOf: file)
    let record = Data(whole.records[Int(Self.position)])
    var damaged = record
    damaged[damaged.endIndex - 12] ^= 1
    try #require(log.range(of: record) != nil)
    while let range = log.range(of: record) { log.replaceSubrange(range, with: damaged) }
    try log.write(to: file)
    return try Ledger(at: path)
  }

  private func products(of account: Name, in ledger: Ledger) throws -> Int {
    try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), environments: [.production],
        now: Instant(microseconds: 1_800_000_000_000_000)
      ).entries.count
    }
  }

  @Test("does not keep others from answers and appends that do not need it") func others() throws {
    let ledger = try damaged()
    // The damaged one is of account-19.
    let before = try products(of: "account-1", in: ledger)
    #expect(before > 0)
    try ledger.appendAndWait([
      EventInput(
        event: try EventDecoder().decode(
          line: Array(
            (#"{"id":"new","type":"transaction.purchased","occurredAt":"2026-01-01T00:00:00Z","#
              + #""account":"account-1","transaction":"new","product":"new"}"#).utf8)
        ).event)
    ])
    try ledger.fold()
    #expect(try products(of: "account-1", in: ledger) == before + 1)
  }

  @Test("is named by verify and by a rebuild, which keeps the projections that there are")
  func rebuild() throws {
    let ledger = try damaged()
    let faults = try ledger.log.verify().faults
    #expect(faults.contains { $0.part == .record && $0.position == Self.position })
    let before = try products(of: "account-1", in: ledger)
    let error = #expect(throws: LedgerError.self) { try ledger.rebuild() }
    #expect(error?.code == .corrupt && error?.position == Self.position)
    #expect(try products(of: "account-1", in: ledger) == before)
  }

  @Test(
    "in the place of another one, or behind the last one, is neither folded nor shown",
    arguments: [position, DamagedLedger.count + 1])
  func misplaced(position: UInt64) throws {
    let path = try whole.copy()
    let ledger = try Ledger(at: path)
    try ledger.fold()
    let table = ledger.log.tables.records
    let copied = whole.records[1]
    try ledger.log.environment.write { (transaction) throws(LMDBError) in
      try transaction.put(table, position, copied.span)
    }
    let faults = try ledger.log.verify().faults
    #expect(faults.contains { $0.part == .record && $0.position == position })
    let shown = #expect(throws: LedgerError.self) {
      _ = try ledger.log.read { (view) throws(LedgerError) in try view.event(at: position) }
    }
    #expect(shown?.code == .corrupt && shown?.position == position)
    let folded = #expect(throws: LedgerError.self) { try ledger.rebuild() }
    #expect(folded?.code == .corrupt && folded?.position == position)
  }
}
