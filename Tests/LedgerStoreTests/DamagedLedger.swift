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
  /// An account with notes, whose texts are erased with its name.
  static let erasedAccount: Name = "account-5"

  let folder: TemporaryFolder
  /// The whole ledger.
  let path: String
  /// Its events.
  let events: [RecordedEvent]
  /// The roots of its tree by size, from 0.
  let roots: [TreeHash]
  /// Its records by position, from 1.
  let records: [[UInt8]]
  /// What was erased.
  let erased: [ErasedSlot]
  /// A copy of its key file from before the erasure.
  let oldKeys: String
  let data: Data

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/whole"
    let ledger = try Ledger.create(at: path, clock: fixedClock)
    try ledger.appendAndWait((0..<200).map(Self.input))
    oldKeys = folder.path + "/old-keys"
    try FileManager.default.copyItem(atPath: ledger.keyFile, toPath: oldKeys)
    var erasure = Event(
      id: "erasure", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = Self.erasedAccount
    try ledger.erase(erasure)
    try ledger.appendAndWait((200..<330).map(Self.input))
    events = try ledger.log.allEvents()
    (roots, records, erased) = try ledger.log.read { (view) throws(LedgerError) in
      var roots: [TreeHash] = []
      var records: [[UInt8]] = [[]]
      for size in 0...view.lastPosition { roots.append(try view.root(at: size)) }
      for position in 1...view.lastPosition {
        records.append([UInt8](copying: try view.recordBytes(at: position)))
      }
      return (roots, records, try view.erasedSlots())
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

  /// The position of the last note that was not erased.
  func lastNote() throws -> UInt64 {
    let last = events.last { $0.event.data.string("text")?.hasPrefix("said") == true }
    return try #require(last).position
  }

  /// The row of a person's name.
  func personRow(_ number: NameNumber) throws -> [UInt8] {
    let log = try EventLog(open: path, access: .readOnly)
    let row = try log.read { (view) throws(LedgerError) in
      guard let row = try view.nameRow(number, in: view.tables.people) else { return [UInt8]() }
      return [UInt8](copying: row)
    }
    try log.close()
    return row
  }

  /// The row of an event's personal data.
  func personalRow(_ position: UInt64) throws -> [UInt8] {
    let log = try EventLog(open: path, access: .readOnly)
    let row = try log.read { (view) throws(LedgerError) in
      guard let row = try view.personalBytes(at: position) else { return [UInt8]() }
      return [UInt8](copying: row)
    }
    try log.close()
    return row
  }

  /// The page of the newest of two meta pages.
  var newestMeta: Int { data[144] > data[Self.pageBytes + 144] ? 0 : 1 }

  /// The log with some bytes of the record of a table changed, in pages of earlier commits, too.
  ///
  /// - Parameter change: Gets what LMDB keeps of the table, 48 bytes (`MDB_db`).
  func table(_ name: String, _ change: (inout [UInt8]) -> Void) throws -> Data {
    try Self.table(name, of: data, change)
  }

  /// As ``table(_:_:)``, of another log.
  static func table(
    _ name: String, of data: Data, _ change: (inout [UInt8]) -> Void
  ) throws -> Data {
    var changed = data
    var start = changed.startIndex
    var found = 0
    while let range = changed.range(of: Data(name.utf8), in: start..<changed.endIndex) {
      start = range.upperBound
      let record = range.upperBound..<range.upperBound + 48
      // A node of a table: 48 bytes, the flag of tables, and the length of the name.
      let head: [UInt8] = [48, 0, 0, 0, 2, 0, UInt8(name.utf8.count), 0]
      guard range.lowerBound >= 8, Array(changed[range.lowerBound - 8..<range.lowerBound]) == head
      else { continue }
      var bytes = Array(changed[record])
      change(&bytes)
      changed.replaceSubrange(record, with: bytes)
      found += 1
    }
    try #require(found > 0)
    return changed
  }

  /// The numbers of a log's pages that contain some bytes.
  static func pages(of data: Data, with bytes: [UInt8]) -> Set<Int> {
    var pages: Set<Int> = []
    var start = data.startIndex
    while let range = data.range(of: Data(bytes), in: start..<data.endIndex) {
      pages.insert(range.lowerBound / pageBytes)
      start = range.upperBound
    }
    return pages
  }

  /// The number of a page, as LMDB writes it.
  static func pageNumber(_ number: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

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
    try Self.replaced(bytes, in: data, change)
  }

  /// As ``replaced(_:_:)``, of another log.
  static func replaced(
    _ bytes: [UInt8], in data: Data, _ change: (inout [UInt8]) -> Void
  ) throws -> Data {
    var changed = data
    var damaged = bytes
    change(&damaged)
    try #require(changed.range(of: Data(bytes)) != nil)
    while let range = changed.range(of: Data(bytes)) {
      changed.replaceSubrange(range, with: damaged)
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
    check(saved, report)
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

  /// Compares what can no longer be read with what the report says of it.
  private func check(_ saved: [RecordedEvent], _ report: SalvageReport) {
    let whole = Dictionary(uniqueKeysWithValues: events.map { ($0.event.id, $0) })
    var names: Set<Name> = []
    var texts: Set<UInt64> = []
    for event in saved {
      guard let original = whole[event.event.id] else { continue }
      if let name = event.event.account, name.text.hasPrefix("sealed:"),
        original.event.account?.text.hasPrefix("erased:") == false
      {
        names.insert(name)
      }
      let (text, before) = (event.event.data.string("text"), original.event.data.string("text"))
      if text?.hasPrefix("sealed:") == true, before?.hasPrefix("erased:") == false {
        texts.insert(original.position)
      }
      if before?.hasPrefix("erased:") == true {
        #expect(text?.contains("said") == false, "\(original.position) was erased")
        #expect(event.event.account != Self.erasedAccount, "\(original.position) was erased")
      }
    }
    if report.keysGivenUp != nil { return }
    let namesTold = report.namesLost + report.namesWithoutKey
    #expect(names.count <= namesTold, "\(names) can no longer be read")
    let textsTold = report.textsLost + report.textsWithoutKey
    #expect(texts.isSubset(of: textsTold), "\(texts) can no longer be read")
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
