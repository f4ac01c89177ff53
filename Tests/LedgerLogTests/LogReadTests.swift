import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

@Suite("Reading the log")
struct LogReadTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
  }

  private func fill(_ count: Int) throws {
    try log.appendAndWait((0..<count).map { progress("event-\($0)", at: Int64($0)) })
  }

  @Test("walks a range of positions upwards and downwards")
  func walks() throws {
    try fill(10)
    try log.read { (view) throws(LedgerError) in
      var up: [UInt64] = []
      var cursor = try view.records(in: 3...7)
      while try cursor.next() { up.append(try cursor.record().position) }
      #expect(up == [3, 4, 5, 6, 7])
      var down: [UInt64] = []
      var reverse = try view.records(in: 3...7, reverse: true)
      while try reverse.next() { down.append(try reverse.record().position) }
      #expect(down == [7, 6, 5, 4, 3])
    }
  }

  @Test("refuses a range beyond the log")
  func rangeBeyond() throws {
    try fill(3)
    let error = #expect(throws: LedgerError.self) {
      try log.read { (view) throws(LedgerError) in
        var cursor = try view.records(in: 2...4)
        _ = try cursor.next()
      }
    }
    #expect(error?.code == .notFound)
  }

  @Test("says that a position which is not there is not there")
  func absentPosition() throws {
    try fill(2)
    for position in [0, 3] as [UInt64] {
      let error = #expect(throws: LedgerError.self) {
        try log.read { (view) throws(LedgerError) in _ = try view.event(at: position) }
      }
      #expect(error?.code == .notFound)
    }
  }

  @Test("shows the same through a snapshot until it is renewed")
  func snapshots() throws {
    try fill(2)
    var snapshot = try log.snapshot()
    let commit = snapshot.commit
    try log.appendAndWait([progress("later")])
    #expect(try snapshot.view.lastPosition == 2)
    snapshot.reset()
    try snapshot.renew()
    #expect(try snapshot.view.lastPosition == 3)
    #expect(snapshot.commit > commit)
  }

  @Test("has at every size the root that its records give, in one or many batches")
  func roots() throws {
    let count = 150
    for number in 0..<40 { try log.appendAndWait([progress("single-\(number)")]) }
    try log.appendAndWait((40..<count).map { progress("batch-\($0)") })
    try log.read { (view) throws(LedgerError) in
      var frontier = MerkleFrontier()
      var hasher = TreeHasher()
      var nodes: [TreeHash] = []
      #expect(try view.root(at: 0) == TreeHasher.empty)
      for position in 1...UInt64(count) {
        let entry = try view.leaf(at: position)
        let leaf = hasher.leafHash(entry.span)
        frontier.append(leaf, &hasher, completed: &nodes)
        #expect(try view.root(at: position) == frontier.root(&hasher), "size \(position)")
      }
    }
  }

  @Test("keeps the live generation of the projections")
  func generation() throws {
    #expect(try log.read { (view) throws(LedgerError) in try view.generation() } == 1)
    try log.setGeneration(7)
    #expect(try log.read { (view) throws(LedgerError) in try view.generation() } == 7)
  }

  @Test("is the same ledger with the same events after it was closed and opened again")
  func reopens() throws {
    try fill(20)
    let root = try log.read { (view) throws(LedgerError) in try view.root(at: 20) }
    let ledger = log.identity.ledger
    try log.close()
    let again = try EventLog(open: folder.ledger, clock: fixedClock)
    #expect(again.identity.ledger == ledger)
    #expect(try again.read { (view) throws(LedgerError) in try view.root(at: 20) } == root)
    let result = try again.appendAndWait([progress("event-3", at: 3), progress("more")])
    #expect(result.outcomes == [.duplicate(4), .appended(21)])
    #expect(try again.verify().faults.isEmpty)
  }

  @Test("can be opened for reading beside, and then refuses to append")
  func readOnly() throws {
    try fill(2)
    try log.close()
    let reader = try EventLog(open: folder.ledger, access: .readOnly)
    #expect(try reader.lastPosition() == 2)
    let error = #expect(throws: LedgerError.self) { try reader.appendAndWait([progress("x")]) }
    #expect(error?.code == .readOnly)
  }

  @Test("says where there is no ledger, and makes none over another")
  func noLedger() throws {
    let missing = #expect(throws: LedgerError.self) { try EventLog(open: folder.path + "/none") }
    #expect(missing?.code == .noLedger)
    try log.close()
    let exists = #expect(throws: LedgerError.self) { try EventLog.create(at: folder.ledger) }
    #expect(exists?.code == .exists)
    #expect(try EventLog(open: folder.ledger).lastPosition() == 0)
  }

  @Test("says why it cannot be looked at, and does not say that there is none")
  func cannotBeLookedAt() throws {
    let path = folder.path + "/loop"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "loop")
    for attempt in [{ try EventLog(open: path) }, { try EventLog.create(at: path) }] {
      let error = #expect(throws: LedgerError.self) { try attempt() }
      #expect(error?.code == .io)
      #expect(error?.message.contains("symbolic links") == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("daybook init") == false)
    }
  }

  @Test(
    "says that it has no right to look at a ledger",
    .enabled(if: geteuid() != 0, "the superuser may read everything"))
  func noRights() throws {
    try log.close()
    let set = { try FileManager.default.setAttributes([.posixPermissions: $0], ofItemAtPath: $1) }
    try set(0, folder.ledger)
    let error = #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    try set(0o700, folder.ledger)
    #expect(error?.code == .readOnly)
    #expect(error?.message.contains("Permission denied. Check the rights") == true)
  }

  @Test(
    "is not made beside what belongs to something else, and leaves nothing there",
    arguments: ["root", "keys", "log/full", "log/increment", "log/full.age", "log/increment.age"])
  func foreignFiles(_ name: String) throws {
    let path = folder.path + "/other"
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(count: 10_000).write(to: file)
    let before = try FileManager.default.subpathsOfDirectory(atPath: path)
    let error = #expect(throws: LedgerError.self) { try EventLog.create(at: path) }
    #expect(error?.code == .exists)
    if name.hasPrefix("log/full") { #expect(error?.message.contains("a backup in one") == true) }
    if name.hasPrefix("log/incr") { #expect(error?.message.contains("an incremental") == true) }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: path) == before)
  }

  @Test("is not made at an empty path, which would be the root folder")
  func emptyPath() {
    let error = #expect(throws: LedgerError.self) { try EventLog.create(at: "") }
    #expect(error?.code == .cannotCreate)
  }

  @Test("refuses to be opened twice in one process")
  func openedTwice() throws {
    let error = #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    #expect(error?.code == .busy)
  }

  @Test("refuses a format that it does not know")
  func unknownFormat() throws {
    try change { (transaction, tables) throws(LMDBError) in
      try transaction.put(
        tables.meta, LogIdentity.Row.format.bytes.span, [UInt8](bigEndianWord: 99).span)
    }
    try log.close()
    let error = #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    #expect(error?.code == .unknownFormat)
    #expect(error?.message.contains("99") == true)
  }

  @Test("finishes the making of a ledger that was cut short")
  func cutShort() throws {
    try change { (transaction, tables) throws(LMDBError) in try transaction.clear(tables.meta) }
    try log.close()
    let error = #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    #expect(error?.code == .noLedger)
    let made = try EventLog.create(at: folder.ledger)
    #expect(try made.lastPosition() == 0)
  }

  @Test(
    "is made anew where LMDB's first two pages were written in part",
    arguments: [1, 512, 4_096, 6_000, 8_192])
  func firstPagesInPart(_ count: Int) throws {
    let path = folder.path + "/other"
    let data = path + "/\(EventLog.folderName)/\(Environment.dataFileName)"
    try EventLog.create(at: path).close()
    let whole = try #require(FileManager.default.contents(atPath: data))
    try FileManager.default.removeItem(atPath: path + "/" + PersonalKeys.fileName)
    var part = whole.prefix(count / 2)
    // The number of the commit, which is 0 in a new file.
    for index in 144..<152 where index < part.count { part[index] = 0 }
    part.append(Data(count: count - part.count))
    try part.write(to: URL(fileURLWithPath: data))
    let error = #expect(throws: LedgerError.self) { try EventLog(open: path) }
    #expect(error?.code == .noLedger)
    #expect(error?.message.contains("init") == true)
    let made = try EventLog.create(at: path)
    #expect(try made.lastPosition() == 0)
  }

  @Test("leaves the file that another process has just begun where it removes what was left")
  func begunMeanwhile() throws {
    let path = folder.path + "/other"
    let data = path + "/\(EventLog.folderName)/\(Environment.dataFileName)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // Another process opens the log after this one has failed to, and has committed nothing yet.
    try Environment.open("\(path)/\(EventLog.folderName)").close()
    // A second name of the file, so that its number is not given to a new one.
    try FileManager.default.linkItem(atPath: data, toPath: path + "/begun")
    try EventLog.openAnew(path, Environment.Options()).close()
    let numbers = try [data, path + "/begun"].map { file in
      try #require(
        try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? UInt64)
    }
    #expect(numbers[0] == numbers[1])
  }

  @Test(
    "is not made anew where a log that was in use was cut to its first pages",
    arguments: [false, true])
  func cutToFirstPages(hasKeys: Bool) throws {
    try fill(3)
    try log.close()
    try FileManager.default.removeItem(atPath: folder.ledger + "/root")
    if !hasKeys {
      try FileManager.default.removeItem(atPath: folder.ledger + "/" + PersonalKeys.fileName)
    }
    let data = folder.ledger + "/\(EventLog.folderName)/\(Environment.dataFileName)"
    let whole = try #require(FileManager.default.contents(atPath: data))
    try whole.prefix(8_192).write(to: URL(fileURLWithPath: data))
    #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    #expect(throws: LedgerError.self) { try EventLog.create(at: folder.ledger) }
    #expect(FileManager.default.contents(atPath: data)?.count == 8_192)
  }

  @Test("gives no slot of the key file away again if the last row that has one is damaged")
  func damagedLastRow() throws {
    try fill(3)
    try change { (transaction, tables) throws(LMDBError) in
      let key: [UInt8] = [255, 255, 255, 255]
      try transaction.put(tables.people, key.span, ([1, 2, 3] as [UInt8]).span)
    }
    let failure = #expect(throws: LedgerError.self) {
      try log.read { (view) throws(LedgerError) in try view.lastSlot() }
    }
    #expect(failure?.code == .corrupt)
  }

  @Test("is never made anew where a ledger was in use", arguments: [0, 1, 2])
  func lostIdentity(_ left: Int) throws {
    try fill(3)
    try change { (transaction, tables) throws(LMDBError) in
      try transaction.clear(tables.meta)
      // Even without its records, the files beside a log show that there were some.
      if left > 0 { try transaction.clear(tables.records) }
    }
    try log.close()
    if left > 1 { try FileManager.default.removeItem(atPath: folder.ledger + "/root") }
    let opened = #expect(throws: LedgerError.self) { try EventLog(open: folder.ledger) }
    #expect(opened?.code == .corrupt)
    let made = #expect(throws: LedgerError.self) { try EventLog.create(at: folder.ledger) }
    #expect(made?.code == (left > 1 ? .exists : .corrupt))
  }

  @Test("tells who follows it of each append, and of none when the time is up")
  func follows() async throws {
    let log = log
    #expect(try await log.lastPosition(beyond: 0, timeout: .milliseconds(20)) == 0)
    let follower = Task { try await log.lastPosition(beyond: 0, timeout: .seconds(60)) }
    try await log.append([progress("a")])
    #expect(try await follower.value == 1)
    #expect(try await log.lastPosition(beyond: 0, timeout: .zero) == 1)
  }

  @Test("counts what its tables hold")
  func statistics() throws {
    try fill(40)
    try log.appendAndWait([note("n", "x")])
    let statistics = try log.statistics()
    let entries = Dictionary(
      uniqueKeysWithValues: statistics.tables.map { ($0.name, $0.entries) })
    #expect(
      entries == [
        "meta": 6, "records": 41, "names": 4, "people": 3, "personal": 1,
        "erased": 0, "tree": 3,
      ])
    #expect(statistics.byteCount > 0)
  }

  private func change(
    _ body: (inout WriteTransaction, LogTables) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    var transaction = try log.environment.beginWrite()
    try body(&transaction, log.tables)
    try transaction.commit()
  }
}
