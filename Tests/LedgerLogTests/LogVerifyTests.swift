import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

@Suite("Verifying the log")
struct LogVerifyTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
    var inputs = (0..<60).map { progress("event-\($0)", of: "transaction-\($0 / 7)") }
    inputs[17] = note("note-17", "rang")
    try log.appendAndWait(inputs)
  }

  private func faults(
    after damage: (inout WriteTransaction, LogTables) throws(LMDBError) -> Void
  ) throws -> [LogFault] {
    var transaction = try log.environment.beginWrite()
    try damage(&transaction, log.tables)
    try transaction.commit()
    return try log.verify().faults
  }

  private func copy(
    _ transaction: borrowing WriteTransaction, _ table: Table, _ position: UInt64
  ) throws(LMDBError) -> [UInt8] {
    guard let found = try transaction.get(table, position) else { return [] }
    return [UInt8](copying: found)
  }

  @Test("finds nothing in a good log, and its root")
  func good() throws {
    var reports: [UInt64] = []
    let result = try log.verify { done, _ in reports.append(done) }
    #expect(result.faults.isEmpty)
    #expect(result.events == 60)
    #expect(try log.read { (view) throws(LedgerError) in try view.root(at: 60) } == result.root)
    #expect(reports == [60])
  }

  @Test("finds nothing in what follows any position, and the same root")
  func goodSince() throws {
    let whole = try log.verify()
    for position in 0...60 as ClosedRange<UInt64> {
      let rest = try log.verify(since: position)
      #expect(rest.faults.isEmpty, "since \(position)")
      #expect(rest.root == whole.root)
      #expect(rest.events == 60)
    }
    let error = #expect(throws: LedgerError.self) { try log.verify(since: 61) }
    #expect(error?.code == .notFound)
  }

  @Test("finds what is damaged after a position, and looks at nothing before it")
  func damageSince() throws {
    _ = try faults { (transaction, tables) throws(LMDBError) in
      for position in [20, 50] as [UInt64] {
        var record = try copy(transaction, tables.records, position)
        record[30] ^= 4
        try transaction.put(tables.records, position, record.span)
      }
    }
    #expect(try log.verify().faults.contains { $0.position == 20 })
    let rest = try log.verify(since: 32).faults.compactMap(\.position)
    #expect(rest.contains(50) && rest.allSatisfy { $0 >= 50 })
    // The root at the position rests on a record that is damaged.
    #expect(try log.verify(since: 21).faults.contains { $0.part == .tree && $0.position == 32 })
  }

  @Test("compares the kept root with the tree, if it is of what is not read")
  func keptSince() throws {
    let kept = KeptRoot(position: 30, root: TreeHasher.empty)
    for position in [20, 30, 40] as [UInt64] {
      try log.read { (view) throws(LedgerError) in
        var verifier = LogVerifier(log.identity.keyHash, events: 60, kept: kept)
        let hasBegun = verifier.begin(after: position, view)
        let found = verifier.verify(view) { _, _ in }
        #expect(hasBegun && found.faults.map(\.part) == [.root])
      }
    }
  }

  @Test("refuses to begin after a record that counts more names than there are")
  func namesSince() throws {
    var transaction = try log.environment.beginWrite()
    var bytes: [UInt8] = []
    Record.append(
      progress("forged").event, position: 40, recordedAt: fixedClock(),
      numbers: [1, 2, 3, 4, 5, 6, 7], namesBefore: .max, to: &bytes)
    try transaction.put(log.tables.records, 40, bytes.span)
    try transaction.commit()
    let found = try log.verify(since: 40)
    #expect(found.faults.map(\.position) == [40])
    #expect(found.events == 0)
  }

  @Test("finds nothing in an empty log")
  func empty() throws {
    let folder = try TemporaryFolder()
    let result = try EventLog.makeNew(folder).verify()
    #expect(result.faults.isEmpty)
    #expect(result.root == TreeHasher.empty)
  }

  @Test("finds every flipped bit of a record", arguments: [0, 1, 9, 30, 60, -1])
  func flippedBit(_ offset: Int) throws {
    let faults = try faults { (transaction, tables) throws(LMDBError) in
      var record = try copy(transaction, tables.records, 23)
      record[(offset + record.count) % record.count] ^= 4
      try transaction.put(tables.records, 23, record.span)
    }
    #expect(faults.contains { $0.part == .record && $0.position == 23 })
    #expect(faults.contains { $0.part == .tree && $0.position == 32 })
  }

  @Test("finds a record that replaced another one and has a good checksum")
  func swapped() throws {
    let faults = try faults { (transaction, tables) throws(LMDBError) in
      let record = try copy(transaction, tables.records, 5)
      try transaction.put(tables.records, 6, record.span)
    }
    #expect(faults.contains { $0.part == .record && $0.position == 6 })
  }

  @Test("finds a record that was exchanged for another event by the tree alone")
  func exchanged() throws {
    let faults = try faults { (transaction, tables) throws(LMDBError) in
      var bytes: [UInt8] = []
      Record.append(
        progress("forged").event, position: 40, recordedAt: fixedClock(),
        numbers: [1, 2, 3, 4, 5, 6, 7], to: &bytes)
      try transaction.put(tables.records, 40, bytes.span)
    }
    #expect(faults.contains { $0.part == .tree && $0.position == 48 })
    #expect(!faults.contains { $0.part == .record })
  }

  @Test("finds a position that is missing")
  func missing() throws {
    let faults = try faults { (transaction, tables) throws(LMDBError) in
      _ = try transaction.delete(tables.records, 31)
    }
    #expect(faults.contains { $0.part == .record && $0.position == 31 })
  }

  @Test("finds a position that no log reaches")
  func unreachable() throws {
    let faults = try faults { (transaction, tables) throws(LMDBError) in
      let record = try copy(transaction, tables.records, 5)
      try transaction.put(tables.records, UInt64.max, record.span)
    }
    #expect(faults.contains { $0.part == .record && $0.message.contains("\(UInt64.max)") })
  }

  @Test("finds a table that is not known, and a changed or unknown row of the identity")
  func identity() throws {
    let faults = try faults { (transaction, tables) throws(LMDBError) in
      var created = [UInt8](repeating: 0, count: 16)
      if let row = try transaction.get(tables.meta, Array("created".utf8).span) {
        created = [UInt8](copying: row)
      }
      created[7] ^= 1
      try transaction.put(tables.meta, Array("created".utf8).span, created.span)
      try transaction.put(tables.meta, Array("mine".utf8).span, [1].span)
    }
    #expect(faults.map(\.part) == [.meta, .meta])
    try log.close()
    let environment = try Environment.open("\(folder.ledger)/log")
    _ = try environment.createTable("mine")
    try environment.close()
    let refused = #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    #expect(refused?.code == .corrupt)
  }

  /// LMDB refuses everything in a transaction after it has met a damaged page.
  @Test("reports a page of zeros, and goes on or refuses to open the log")
  func zeroedPage() throws {
    // A row of a table that is empty otherwise, so that it has a page.
    let before = try faults { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.erased, [0, 0, 9, 9].span, [UInt8](repeating: 0, count: 16).span)
    }
    try log.close()
    let file = URL(filePath: "\(folder.ledger)/log/data.mdb")
    let whole = try Data(contentsOf: file)
    let pageBytes = 4096
    var found = 0
    for page in 2..<whole.count / pageBytes {
      var damaged = whole
      damaged.replaceSubrange(
        page * pageBytes..<(page + 1) * pageBytes, with: Data(count: pageBytes))
      try damaged.write(to: file)
      do throws(LedgerError) {
        let log = try EventLog(open: folder.ledger)
        found += try log.verify().faults.count > before.count ? 1 : 0
        try log.close()
      } catch {
        #expect(error.code == .corrupt, "page \(page): \(error)")
      }
    }
    #expect(found > 2)
  }

  @Test("finds a table that is not known")
  func table() throws {
    try log.close()
    let environment = try Environment.open("\(folder.ledger)/log")
    _ = try environment.createTable("mine")
    try environment.close()
    let log = try EventLog(open: folder.ledger)
    #expect(try log.verify().faults.map(\.part) == [.table])
  }

  @Test("finds every flipped bit of the identity", arguments: LogIdentity.Row.allCases)
  func flippedIdentity(_ row: LogIdentity.Row) throws {
    if row == .erasing { return }
    var stored: [UInt8] = []
    let key = row.bytes
    try log.environment.write { (transaction) throws(LMDBError) in
      if let found = try transaction.get(log.tables.meta, key.span) {
        stored = [UInt8](copying: found)
      }
    }
    for bit in 0..<stored.count * 8 {
      var damaged = stored
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try log.environment.write { (transaction) throws(LMDBError) in
        try transaction.put(log.tables.meta, key.span, damaged.span)
      }
      let error = #expect(throws: LedgerError.self) {
        try log.read { (view) throws(LedgerError) in
          _ = try LogIdentity.row(row, view.view, view.tables)
        }
      }
      #expect(error?.code == .corrupt, "bit \(bit)")
    }
  }

  @Test("finds a changed node of the tree, and one that is missing")
  func nodes() throws {
    var faults = try faults { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.tree, 1, [UInt8](repeating: 7, count: 32).span)
    }
    #expect(faults.map(\.part) == [.tree])
    faults = try self.faults { (transaction, tables) throws(LMDBError) in
      _ = try transaction.delete(tables.tree, 1)
    }
    #expect(faults.map(\.part) == [.tree, .tree])
  }

  @Test("finds a changed, a missing and a stray personal part")
  func personal() throws {
    var faults = try faults { (transaction, tables) throws(LMDBError) in
      var row = try copy(transaction, tables.personal, 18)
      row[row.count - 3] ^= 1
      try transaction.put(tables.personal, 18, row.span)
    }
    #expect(faults.map(\.part) == [.personal])
    faults = try self.faults { (transaction, tables) throws(LMDBError) in
      _ = try transaction.delete(tables.personal, 18)
    }
    #expect(faults.map(\.part) == [.personal])
    faults = try self.faults { (transaction, tables) throws(LMDBError) in
      try transaction.put(tables.personal, 19, [UInt8](repeating: 1, count: 20).span)
    }
    #expect(Set(faults.map(\.position)) == [18, 19])
  }

  @Test("finds a name of another kind, one that is missing and one beyond the last")
  func names() throws {
    var faults = try faults { (transaction, tables) throws(LMDBError) in
      let key = bigEndianKey(5 as UInt32)
      try transaction.put(tables.names, key.span, [NameKind.download.rawValue, 65].span)
    }
    #expect(faults.contains { $0.part == .name && $0.number == 5 && $0.position == 1 })
    faults = try self.faults { (transaction, tables) throws(LMDBError) in
      let key = bigEndianKey(5 as UInt32)
      _ = try transaction.delete(tables.names, key.span)
    }
    #expect(faults.contains { $0.part == .name && $0.number == 5 })
    faults = try self.faults { (transaction, tables) throws(LMDBError) in
      let key = bigEndianKey(900 as UInt32)
      try transaction.put(tables.people, key.span, [NameKind.device.rawValue, 65].span)
    }
    #expect(faults.contains { $0.part == .name && $0.number == 900 })
  }
}
