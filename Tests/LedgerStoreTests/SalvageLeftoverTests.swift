import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// Pages of a commit that never completed, beside those of the one that came instead.
@Suite("Salvage beside pages of a failed commit") struct SalvageLeftoverTests {
  private static let pageBytes = DamagedLedger.pageBytes
  private static let batchCount = 60

  private let whole: DamagedLedger
  /// The ledger after the batch that completed.
  private let path: String
  private let events: [RecordedEvent]
  /// Its log, and after its pages those of the batch that failed.
  private let data: Data

  /// - Parameter hasNames: Whether each event of the batches introduces names.
  private init(hasNames: Bool) throws {
    whole = try DamagedLedger()
    // What the failed commit had written: the same events, one position earlier.
    let failed = try whole.copy()
    let late = (0..<Self.batchCount).map {
      Self.purchase("late-\(100 + $0)", hasNames ? "stale-\($0)" : nil)
    }
    _ = try Self.append(late, to: failed)
    path = try whole.copy()
    let other = Self.purchase("other", hasNames ? "product-other" : nil)
    let again = (0..<Self.batchCount).map {
      Self.purchase("late-\(100 + $0)", hasNames ? "real-\($0)" : nil)
    }
    events = try Self.append([other] + again, to: path)
    var data = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(path)))
    let left = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(failed)))
    for page in 2..<left.count / Self.pageBytes {
      var bytes = left[page * Self.pageBytes..<(page + 1) * Self.pageBytes]
      bytes = Data(bytes)
      guard bytes[10] == 2,
        bytes.range(of: Data("late-".utf8)) != nil
          || bytes.range(of: Data("stale-".utf8)) != nil
      else { continue }
      // Each page says its number.
      let number = UInt32(data.count / Self.pageBytes)
      bytes.replaceSubrange(0..<4, with: (0..<4).map { UInt8(number >> (8 * $0) & 255) })
      data += bytes
    }
    self.data = data
  }

  private static func purchase(_ id: String, _ product: String?) -> EventInput {
    var event = Event(
      id: Name(id), type: EventType(.transactionPurchased),
      occurredAt: Instant(microseconds: 1_650_000_000_000_000))
    event.source = EventSource(.app)
    event.account = "account-1"
    event.transaction = Name(product == nil ? "transaction-1" : "transaction-\(id)")
    event.product = Name(product ?? "product-1")
    return EventInput(event: event)
  }

  private static func append(_ inputs: [EventInput], to path: String) throws -> [RecordedEvent] {
    let ledger = try Ledger(at: path, clock: fixedClock)
    try ledger.appendAndWait(inputs)
    let events = try ledger.log.allEvents()
    try ledger.close()
    return events
  }

  /// Overwrites the pages that hold `bytes`, but not those of the failed commit.
  private func zeroed(_ bytes: [UInt8], in log: Data) throws -> Data {
    let end = try #require(
      try FileManager.default.attributesOfItem(
        atPath: DamagedLedger.dataFile(path))[.size] as? Int)
    var log = log
    var found = 0
    while let range = log.range(of: Data(bytes), in: 0..<end) {
      let start = range.lowerBound / Self.pageBytes * Self.pageBytes
      log.resetBytes(in: start..<start + Self.pageBytes)
      found += 1
    }
    try #require(found > 0)
    return log
  }

  /// Salvages the log; what is saved are events of the batch that completed, each once.
  private func checkSalvage(_ log: Data) throws {
    let damaged = "\(whole.folder.path)/\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: path, toPath: damaged)
    try log.write(to: URL(filePath: DamagedLedger.dataFile(damaged)))
    let (report, _) = try Ledger.salvage(damaged, into: damaged + "-new")
    let saved = try EventLog.toVerify(damaged + "-new")
    #expect(try saved.verify().damage == [])
    let whole = Dictionary(uniqueKeysWithValues: events.map { ($0.event.id, $0) })
    var last: UInt64 = 0
    for event in try saved.allEvents() {
      let original = try #require(whole[event.event.id])
      #expect(original.position > last, "\(event)")
      last = original.position
      #expect(event.event.product == original.event.product, "\(event)")
    }
    try saved.close()
    #expect(report.kept > 200 && report.kept < UInt64(events.count))
  }

  @Test("keeps no event twice, and none at a position that it never had")
  static func records() throws {
    let left = try SalvageLeftoverTests(hasNames: false)
    try left.checkSalvage(try left.zeroed(Array("late-105".utf8), in: left.data))
  }

  @Test("gives no event a product of the failed commit") static func names() throws {
    let left = try SalvageLeftoverTests(hasNames: true)
    // Position 355 is lost in both batches, so the tree proves nothing about the names around it.
    var log = try left.zeroed(Array("real-25".utf8), in: left.data)
    for id in ["late-122", "late-123"] {
      while let range = log.range(of: Data(id.utf8)) { log[range.lowerBound] ^= 1 }
    }
    try left.checkSalvage(log)
  }
}
