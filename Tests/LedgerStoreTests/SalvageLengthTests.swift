import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// How many events a damaged log had.
@Suite("Salvage of the last commit") struct SalvageLengthTests {
  private let whole: DamagedLedger

  init() throws { whole = try DamagedLedger() }

  private func copy(_ log: Data, hasRoot: Bool) throws -> String {
    let copy = try whole.copy(log)
    if !hasRoot { try FileManager.default.removeItem(atPath: "\(copy)/root") }
    return copy
  }

  @Test("believes the records and not a flipped bit in their number", arguments: [false, true])
  func counts(_ hasRoot: Bool) throws {
    for (byte, bit) in [(0, 64), (0, 128), (2, 16), (4, 1), (7, 64)] as [(Int, UInt8)] {
      let log = try whole.table("records") { $0[32 + byte] ^= bit }
      let (report, events, _) = try whole.salvage(try copy(log, hasRoot: hasRoot))
      #expect(report.lastPosition == DamagedLedger.count, "byte \(byte), bit \(bit)")
      // Without a root, nothing says whether the number or the records are right.
      #expect(report.mayHaveHadMore == !hasRoot)
      #expect(report.isComplete == hasRoot)
      #expect(whole.isWhole(events))
    }
  }

  @Test("finds the last record where the tree leads to an earlier copy of its page")
  func earlierPage() throws {
    let path = try whole.copy()
    let ledger = try Ledger(at: path, clock: fixedClock)
    for id in ["late-1", "late-2", "late-3"] {
      try ledger.appendAndWait([EventInput(event: note(id, "said \(id)").event)])
    }
    let (records, last) = try ledger.log.read { (view) throws(LedgerError) in
      let last = view.lastPosition
      let records = try [last - 1, last].map { (position) throws(LedgerError) in
        [UInt8](copying: try view.recordBytes(at: position))
      }
      return (records, last)
    }
    try ledger.close()
    var log = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(path)))
    let new = try #require(DamagedLedger.pages(of: log, with: records[1]).first)
    let old = try #require(
      DamagedLedger.pages(of: log, with: records[0]).subtracting([new]).first)
    // A node of a branch: the page's number, and the length of its key.
    func node(_ page: Int) -> Data { Data(DamagedLedger.pageNumber(page).prefix(6) + [8, 0]) }
    try #require(log.range(of: node(new)) != nil)
    while let range = log.range(of: node(new)) { log.replaceSubrange(range, with: node(old)) }
    try log.write(to: URL(filePath: DamagedLedger.dataFile(path)))
    try FileManager.default.removeItem(atPath: "\(path)/root")
    let report = try Ledger.salvage(path, into: path + "-new").report
    #expect(report.lastPosition == last)
    #expect(report.kept == last)
    #expect(report.mayHaveHadMore)
    #expect(report.notes.contains { $0.contains("as many events as it counts") })
  }

  @Test("bounds a number of records that nothing confirms by what the file can hold")
  func unconfirmed() throws {
    var log = try whole.table("records") { $0[32 + 7] ^= 64 }
    // A page of records is lost, so the tree does not say how many there were.
    let range = try #require(log.range(of: Data(whole.records[100])))
    let start = range.lowerBound / DamagedLedger.pageBytes * DamagedLedger.pageBytes
    log.resetBytes(in: start..<start + DamagedLedger.pageBytes)
    let report = try whole.salvage(try copy(log, hasRoot: false)).report
    #expect(report.kept > 200)
    #expect(report.lastPosition < UInt64(log.count))
  }

  @Test("saves the last commit if its meta page is damaged, and says that there may be more")
  func newestMeta() throws {
    let start = whole.newestMeta * DamagedLedger.pageBytes
    var log = whole.data
    log.resetBytes(in: start..<start + 200)
    try checkLast(log, page: whole.newestMeta)
  }

  @Test("saves the last commit if its page of tables is damaged, and names the page")
  func newestTables() throws {
    // The root of the tree of tables.
    let at = whole.newestMeta * DamagedLedger.pageBytes + 128
    let page = Int(whole.data[at]) | Int(whole.data[at + 1]) << 8
    let log = whole.overwritten(page, [UInt8](repeating: 0, count: DamagedLedger.pageBytes))
    try checkLast(log, page: page)
  }

  private func checkLast(_ log: Data, page: Int) throws {
    let report = try whole.salvage(try copy(log, hasRoot: false)).report
    #expect(report.lastPosition == DamagedLedger.count)
    #expect(report.kept == DamagedLedger.count)
    #expect(!report.isComplete)
    #expect(report.notes.contains { $0.contains("may have had more") })
    #expect(report.pages.contains { $0.number == UInt64(page) })
    // The kept root says that these are all.
    let rooted = try whole.salvage(try copy(log, hasRoot: true)).report
    #expect(rooted.isComplete)
    #expect(rooted.kept == DamagedLedger.count)
  }
}
