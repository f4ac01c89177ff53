import Foundation
import LMDB
import Testing

@Suite("Transactions") struct TransactionTests {
  @Test("a transaction that throws leaves nothing") func transactionThrows() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    let code = failure { () throws(LMDBError) in
      try environment.write { transaction throws(LMDBError) in
        try transaction.put(table, 1, bytes("v").span)
        throw LMDBError.stop
      }
    }
    #expect(code == LMDBError.stop.code)
    #expect(try environment.contents(table).isEmpty)
    #expect(environment.transactionCount == 0)
  }

  @Test("a transaction that is dropped or aborted leaves nothing") func transactionDropped() throws
  {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    func drop() throws {
      var transaction = try environment.beginWrite()
      try transaction.put(table, 1, bytes("v").span)
    }
    try drop()
    var transaction = try environment.beginWrite()
    try transaction.put(table, 1, bytes("v").span)
    transaction.abort()
    #expect(try environment.contents(table).isEmpty)
  }

  @Test("an explicit commit keeps what was written") func explicitCommit() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    var transaction = try environment.beginWrite()
    try transaction.put(table, 1, bytes("v").span)
    try transaction.commit()
    #expect(try environment.contents(table).count == 1)
  }

  @Test("a write transaction reads what it wrote, others what was committed")
  func writeTransaction() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      try transaction.put(table, 1, bytes("v").span)
      expect(try transaction.get(table, 1)?.count == 1)
      #expect(try environment.contents(table).isEmpty)
      var cursor = try transaction.cursor(table)
      expect(try cursor.last())
    }
  }

  @Test("a layer's own error passes through, and LMDB's arrives as it") func layersOwn() throws {
    struct StoreError: LMDBFailure {
      var cause: LMDBError.Code?
      init(_ error: LMDBError) { cause = error.code }
      init() { cause = nil }
    }
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    do {
      try environment.write { _ throws(StoreError) in
        throw StoreError()
      }
      Issue.record("did not throw")
    } catch { #expect(error.cause == nil) }
    try environment.close()
    do {
      try environment.read(throwing: StoreError.self) { _ throws(StoreError) in }
      Issue.record("did not throw")
    } catch { #expect(error.cause == .closed) }
  }

  @Test("a snapshot stays as it was; renewing takes the newest") func snapshotStays() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    var transaction = try environment.beginRead()
    let first = transaction.id
    try environment.set(table, "k", "v")
    expect(try !transaction.contains(table, bytes("k").span))
    try transaction.renew()
    expect(try transaction.contains(table, bytes("k").span))
    #expect(transaction.id == first + 1)
  }

  @Test("a reset snapshot reads again once it is renewed") func resetSnapshot() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    var transaction = try environment.beginRead()
    transaction.reset()
    transaction.reset()
    try transaction.renew()
    expect(try !transaction.contains(table, bytes("k").span))
  }

  @Test("reading a reset snapshot stops the process") func readingReset() async {
    await #expect(processExitsWith: .failure) {
      let folder = try TemporaryFolder()
      let environment = try folder.environment()
      let table = try environment.createTable("t")
      var transaction = try environment.beginRead()
      transaction.reset()
      _ = try? transaction.contains(table, bytes("k").span)
    }
  }

  @Test("a table opened after the snapshot is refused with advice") func tableOpened() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let transaction = try environment.beginRead()
    let table = try environment.createTable("t")
    do throws(LMDBError) {
      _ = try transaction.contains(table, bytes("k").span)
      Issue.record("was read")
    } catch {
      #expect(error.code == .badArgument)
      #expect(error.message.contains("begin another"))
    }
  }

  @Test("a second write transaction on one thread is an error, not a deadlock") func secondWrite()
    throws
  {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    try environment.write { transaction in
      let code = failure { () throws(LMDBError) in try environment.write { _ throws(LMDBError) in }
      }
      #expect(code == .writeInProgress)
      let table = failure { () throws(LMDBError) in _ = try environment.createTable("t") }
      #expect(table == .writeInProgress)
    }
    try environment.write { _ in }
  }

  @Test("reading a write transaction on another thread stops the process") func readingWrite() async
  {
    await #expect(processExitsWith: .failure) {
      let folder = try TemporaryFolder()
      try readElsewhere(try folder.environment())
    }
  }

  @Test("a read-only environment refuses to write") func readOnly() throws {
    let folder = try TemporaryFolder()
    try folder.environment().close()
    let environment = try folder.environment(.init(readOnly: true))
    #expect(
      failure { () throws(LMDBError) in try environment.write { _ throws(LMDBError) in } }
        == .readOnly)
  }

  @Test("more readers than slots are refused") func moreReaders() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(maxReaders: 2))
    let one = try environment.beginRead()
    let two = try environment.beginRead()
    let code = failure { () throws(LMDBError) in _ = try environment.beginRead() }
    #expect(code == .readersFull)
    _ = (one.id, two.id)
  }

  @Test("the error for readers that are too many names the processes that have them")
  func readersNamed() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(maxReaders: 3))
    let table = try environment.createTable("t")
    let one = try environment.beginRead()
    let two = try environment.beginRead()
    let three = try environment.beginRead()
    try environment.set(table, "k", "v")
    let error = #expect(throws: LMDBError.self) { _ = try environment.beginRead() }
    let message = try #require(error?.message)
    let own = ProcessInfo.processInfo.processIdentifier
    #expect(message.contains("process \(own) has 3, at most 1 commits behind"), "\(message)")
    #expect(message.contains(folder.path))
    _ = (one.id, two.id, three.id)
  }

  @Test("readers on many threads see whole commits while one writes") func readersOn() async throws
  {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(sync: .onRequest))
    let table = try environment.createTable("t")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var transaction = try environment.beginRead()
          for _ in 0..<500 {
            try transaction.renew()
            let one = try transaction.get(table, 1)?.littleEndian(UInt64.self, at: 0)
            let two = try transaction.get(table, 2)?.littleEndian(UInt64.self, at: 0)
            #expect(one == two)
          }
        }
      }
      group.addTask { try writePairs(environment, table, count: 500) }
      try await group.waitForAll()
    }
    #expect(environment.transactionCount == 0)
  }
}

private func writePairs(_ environment: Environment, _ table: Table, count: UInt64) throws {
  for number in 0..<count {
    try environment.write { transaction in
      let value = bigEndianKey(number)
      try transaction.put(table, 1, value.span)
      try transaction.put(table, 2, value.span)
    }
  }
}

private func readElsewhere(_ environment: Environment) throws {
  let transaction = try environment.beginWrite()
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    _ = transaction.id
    done.signal()
  }
  done.wait()
}
