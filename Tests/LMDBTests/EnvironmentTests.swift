import Foundation
import LMDB
import Testing

@Suite("Environments") struct EnvironmentTests {
  @Test("a second opening in one process is refused, by any path") func secondOpening() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let link = folder.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    defer { try? FileManager.default.removeItem(atPath: link) }
    for path in [folder.path, folder.path + "/.", link] {
      let code = failure { () throws(LMDBError) in _ = try Environment.open(path) }
      #expect(code == .alreadyOpen)
    }
    try environment.close()
    _ = try Environment.open(link)
  }

  @Test("an environment closes with its last reference") func environmentCloses() throws {
    let folder = try TemporaryFolder()
    do { _ = try folder.environment() }
    _ = try folder.environment()
  }

  @Test("a folder that took a deleted one's place is another environment") func folderTook() throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/generation"
    let first = try Environment.open(path)
    try FileManager.default.removeItem(atPath: path)
    let second = try Environment.open(path)
    #expect(try second.table("t") == nil)
    try first.close()
  }

  @Test("without locks a copy is read and nothing is made beside it") func withoutLocks() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.set(table, "k", "v")
    let copy = folder.path + "/copy"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    try environment.copy(to: copy, compacting: true)
    let options = Environment.Options(readOnly: true, usesLocks: false)
    let read = try Environment.open(copy, options: options)
    let found = try #require(try read.table("t"))
    let view = try read.beginRead()
    #expect(try view.contains(found, Array("k".utf8).span))
    // A copy of the copy needs no lock either.
    let second = folder.path + "/second"
    try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: false)
    try read.copy(to: second, compacting: true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy) == ["data.mdb"])
  }

  @Test("closing waits for no one: open transactions are an error") func closingWaits() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let code = { failure { () throws(LMDBError) in try environment.close() } }
    func holdOpen() throws {
      var transaction = try environment.beginRead()
      #expect(code() == .transactionsOpen)
      transaction.reset()
      #expect(code() == .transactionsOpen)
    }
    try holdOpen()
    #expect(code() == nil)
    #expect(code() == nil)
    #expect(failure { () throws(LMDBError) in _ = try environment.beginRead() } == .closed)
    #expect(failure { () throws(LMDBError) in _ = try environment.info() } == .closed)
  }

  @Test("information tells sizes and the last commit") func informationTells() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    let before = try environment.info()
    try environment.set(table, "k", "v")
    let after = try environment.info()
    #expect(after.lastTransaction == before.lastTransaction + 1)
    #expect(after.mapSize == 1 << 40)
    #expect(after.usedBytes > 0 && after.usedBytes % after.pageSize == 0)
  }

  @Test("readers are listed with how far they are behind") func readersListed() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    let transaction = try environment.beginRead()
    for number in 1...3 { try environment.set(table, "k", "\(number)") }
    let reader = try #require(try environment.readers().first)
    #expect(reader.process == ProcessInfo.processInfo.processIdentifier)
    #expect(reader.transaction == transaction.id)
    #expect(reader.lag == 3)
  }

  @Test("a copy holds what was committed", arguments: [false, true])
  func copyHolds(_ compacting: Bool) throws {
    let folder = try TemporaryFolder()
    let target = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.set(table, "k", "v")
    try environment.copy(to: target.path, compacting: compacting)
    let copy = try target.environment(.init(readOnly: true))
    #expect(try copy.text(try #require(try copy.table("t")), "k") == "v")
    let again = failure { () throws(LMDBError) in try environment.copy(to: target.path) }
    #expect(again == .system(EEXIST))
  }

  @Test("a full map ends the transaction; grown, it takes the write") func fullMap() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(mapSize: 1 << 16))
    let table = try environment.createTable("t")
    let fill = {
      failure { () throws(LMDBError) in
        try environment.write { transaction throws(LMDBError) in
          let value = [UInt8](repeating: 1, count: 1000)
          for number: UInt64 in 0..<100 { try transaction.append(table, number, value.span) }
        }
      }
    }
    #expect(fill() == .mapFull)
    #expect(try environment.contents(table).isEmpty)
    try environment.grow(mapSize: 1 << 20)
    #expect(try environment.info().mapSize == 1 << 20)
    #expect(fill() == nil)
    #expect(try environment.contents(table).count == 100)
  }

  @Test("a map does not grow under a transaction, nor shrink") func mapDoes() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(mapSize: 1 << 20))
    func growUnderReader() throws {
      var transaction = try environment.beginRead()
      let grow = { failure { () throws(LMDBError) in try environment.grow(mapSize: 1 << 21) } }
      #expect(grow() == .transactionsOpen)
      transaction.reset()
      #expect(grow() == nil)
      try transaction.renew()
    }
    try growUnderReader()
    let shrink = failure { () throws(LMDBError) in try environment.grow(mapSize: 1 << 20) }
    #expect(shrink == .badArgument)
  }

  @Test("a folder that is missing, or a file in its place, is an error") func folderMissing() throws
  {
    let folder = try TemporaryFolder()
    let options = Environment.Options(readOnly: true)
    for (path, code) in [
      (folder.path, LMDBError.Code.missing), (folder.path + "/none", .system(ENOENT)),
      ("", .badArgument), ("/proc/none/none", .system(ENOENT)),
    ] {
      let found = failure { () throws(LMDBError) in
        _ = try Environment.open(path, options: options)
      }
      #expect(found == code, "\(path)")
    }
    try Data().write(to: URL(filePath: folder.path + "/file"))
    let code = failure { () throws(LMDBError) in _ = try Environment.open(folder.path + "/file") }
    #expect(code == .system(ENOTDIR))
  }

  @Test("files and folder have the rights asked for") func filesFolder() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/new"
    let environment = try Environment.open(path)
    let rights = try ["", "/data.mdb", "/lock.mdb"].map { name in
      try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int
    }
    #expect(rights == [0o700, 0o600, 0o600])
    try environment.close()
  }
}
