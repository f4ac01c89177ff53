import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// A closed ledger of a few hundred events, whose files are damaged in copies.
struct DamagedLedger {
  static let pageBytes = 4096
  static let count: UInt64 = 331
  static let erasedAccount: Name = "account-3"

  let folder: TemporaryFolder
  /// The whole ledger.
  let path: String
  /// Its events.
  let events: [RecordedEvent]
  /// The roots of its tree by size, from 0.
  let roots: [TreeHash]
  /// Its records by position, from 1.
  let records: [[UInt8]]
  let data: Data

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/whole"
    let ledger = try Ledger.create(at: path, clock: fixedClock)
    try ledger.appendAndWait((0..<200).map(Self.input))
    var erasure = Event(
      id: "erasure", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = Self.erasedAccount
    try ledger.erase(erasure)
    try ledger.appendAndWait((200..<330).map(Self.input))
    events = try ledger.log.allEvents()
    (roots, records) = try ledger.log.read { (view) throws(LedgerError) in
      var roots: [TreeHash] = []
      var records: [[UInt8]] = [[]]
      for size in 0...view.lastPosition { roots.append(try view.root(at: size)) }
      for position in 1...view.lastPosition {
        records.append([UInt8](copying: try view.recordBytes(at: position)))
      }
      return (roots, records)
    }
    try ledger.close()
    data = try Data(contentsOf: URL(filePath: Self.dataFile(path)))
    try #require(events.count == Int(Self.count))
  }

  /// Purchases of forty accounts, with a note in each block of the tree.
  private static func input(_ number: Int) -> EventInput {
    let account = Name("account-\(number % 40)")
    if number % 16 == 5 {
      var note = note("note-\(number)", "said \(number)").event
      note.account = account
      return EventInput(event: note)
    }
    var event = Event(
      id: Name("purchase-\(number)"), type: EventType(.transactionPurchased),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000 + Int64(number) * Instant.second))
    event.source = EventSource(.app)
    event.account = account
    event.transaction = Name("transaction-\(number)")
    event.product = Name("product-\(number % 7)")
    return EventInput(event: event)
  }

  static func dataFile(_ path: String) -> String { "\(path)/log/data.mdb" }

  var pageCount: Int { data.count / Self.pageBytes }

  /// Copies the ledger with another content of its log.
  func copy(_ log: Data? = nil) throws -> String {
    let copy = "\(folder.path)/\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    if let log { try log.write(to: URL(filePath: Self.dataFile(copy))) }
    return copy
  }

  /// The log with other bytes on a page.
  func overwritten(_ page: Int, at offset: Int = 0, _ bytes: [UInt8]) -> Data {
    var changed = data
    let start = page * Self.pageBytes + offset
    changed.replaceSubrange(start..<start + bytes.count, with: bytes)
    return changed
  }

  /// The log with other bytes wherever `bytes` are, in pages of earlier commits, too.
  func replaced(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) throws -> Data {
    var changed = data
    var damaged = bytes
    change(&damaged)
    try #require(changed.range(of: Data(bytes)) != nil)
    while let place = changed.range(of: Data(bytes)) {
      changed.replaceSubrange(place, with: damaged)
    }
    return changed
  }

  /// Whether these are all events, each as it was and where it was.
  func isWhole(_ saved: [RecordedEvent]) -> Bool {
    saved.count == events.count
      && zip(saved, events).allSatisfy { left, right in
        left.position == right.position && left.recordedAt == right.recordedAt
          && left.event.sameContent(as: right.event)
      }
  }

  /// Salvages a damaged copy, and checks what has to hold whatever the damage was.
  ///
  /// - Returns: The report, and the events that were saved.
  @discardableResult
  func salvage(
    _ damaged: String, keys: String? = nil
  ) throws -> (report: SalvageReport, events: [RecordedEvent], path: String) {
    let new = damaged + "-new"
    let (report, copy) = try Ledger.salvage(damaged, into: new, keys: keys)
    let log = try EventLog.toVerify(new)
    let found = try log.verify()
    #expect(found.damage == [])
    #expect(found.root == copy.root)
    #expect(try log.verifyProjections() == .agree)
    let saved = try log.allEvents()
    #expect(UInt64(saved.count) == report.kept)
    let left = report.gaps.reduce(0) { $0 + UInt64($1.positions.count) }
    #expect(report.kept + left == report.lastPosition)
    // Nothing is there that was not there before, and in the same order.
    let whole = Dictionary(uniqueKeysWithValues: events.map { ($0.event.id, $0) })
    var last: UInt64 = 0
    for event in saved {
      let original = try #require(whole[event.event.id])
      #expect(original.position > last)
      last = original.position
      #expect(Self.isSame(event, original), "\(event) \(original)")
      #expect(report.newPosition(of: original.position) == event.position)
    }
    // The beginning is the same tree.
    let unbroken = report.unbrokenThrough
    let root = try log.read { (view) throws(LedgerError) in try view.root(at: unbroken) }
    #expect(root == roots[Int(unbroken)])
    try log.close()
    return (report, saved, new)
  }

  /// Whether an event was saved as it was. Names and texts that nobody can read have other numbers.
  private static func isSame(_ saved: RecordedEvent, _ original: RecordedEvent) -> Bool {
    let (left, right) = (saved.event, original.event)
    let isAccountKnown = left.account?.text.contains(":") != true
    return left.id == right.id && left.type == right.type && left.product == right.product
      && left.transaction == right.transaction && left.occurredAt == right.occurredAt
      && saved.recordedAt == original.recordedAt
      && (!isAccountKnown || left.account == right.account)
  }
}

extension SalvageReport {
  /// Where an event is that was at `old`.
  func newPosition(of old: UInt64) -> UInt64? {
    for move in moves where move.old.contains(old) { return move.new + old - move.old.lowerBound }
    return gaps.contains { $0.positions.contains(old) } ? nil : old
  }
}
