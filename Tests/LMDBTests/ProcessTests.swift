import Foundation
import LMDB
import Testing

/// An environment with several processes, and what the system does to a process.
@Suite("Several processes") struct ProcessTests {
  @Test("a map that another process outgrew is followed") func mapAnother() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let environment = try folder.environment(.init(mapSize: 1 << 18))
    let table = try environment.createTable("t")
    try environment.set(table, "k", "v")
    var reader = try environment.beginRead()
    reader.reset()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(path, options: .init(mapSize: 1 << 30))
      let table = try environment.createTable("t")
      try environment.write { transaction in
        let value = [UInt8](repeating: 1, count: 1 << 20)
        try transaction.put(table, 1, value.span)
      }
    }
    try reader.renew()
    expect(try reader.get(table, 1)?.count == 1 << 20)
    #expect(try environment.info().mapSize > 1 << 20)
    #expect(try environment.text(table, "k") == "v")
    reader.reset()
    try environment.set(table, "k", "w")
  }

  @Test("a resized map under a reader of this process is an error, not a crash") func resizedMap()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path
    let environment = try folder.environment(.init(mapSize: 1 << 18))
    let table = try environment.createTable("t")
    let reader = try environment.beginRead()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(path, options: .init(mapSize: 1 << 30))
      let table = try environment.createTable("t")
      try environment.write { transaction in
        let value = [UInt8](repeating: 1, count: 1 << 20)
        try transaction.put(table, 1, value.span)
      }
    }
    let code = failure { () throws(LMDBError) in _ = try environment.text(table, "k") }
    #expect(code == .mapResized)
    expect(try !reader.contains(table, bytes("k").span))
  }

  @Test("the slot of a reader that died is found and cleared") func slotReader() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    await #expect(processExitsWith: .success) { [path = path as String] in
      try abandonRead(path)
    }
    try environment.set(table, "k", "v")
    let readers = try environment.readers()
    #expect(readers.map(\.lag) == [1])
    #expect(try environment.clearDeadReaders() == 1)
    #expect(try environment.readers().isEmpty)
  }

  @Test("slots of dead readers are cleared when all slots are taken") func slotsDead() async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path
    let environment = try folder.environment(.init(maxReaders: 1))
    _ = try environment.createTable("t")
    await #expect(processExitsWith: .success) { [path = path as String] in
      try abandonRead(path)
    }
    let transaction = try environment.beginRead()
    #expect(transaction.id == 1)
  }

  @Test("a writer that dies releases the lock and leaves nothing") func writerDies() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    await #expect(processExitsWith: .success) { [path = path as String] in
      try abandonWrite(path)
    }
    try environment.set(table, "k", "v")
    #expect(try environment.contents(table).count == 1)
  }

  @Test("after fork the child is refused, and the parent goes on") func afterFork() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let environment = try folder.environment()
      let table = try environment.createTable("t")
      let reader = try environment.beginRead()
      let child = forkProcess()
      if child == 0 {
        let read = failure { () throws(LMDBError) in _ = try environment.beginRead() }
        let write = failure { () throws(LMDBError) in
          try environment.write { _ throws(LMDBError) in }
        }
        let close = failure { () throws(LMDBError) in try environment.close() }
        _exit([read, write, close].allSatisfy { $0 == .forked } ? 0 : 1)
      }
      var status: Int32 = 0
      guard unsafe waitpid(child, &status, 0) == child, status == 0 else { exit(1) }
      _ = try reader.contains(table, bytes("k").span)
      try environment.set(table, "k", "v")
    }
  }

  @Test("where address space is short, the largest map that fits is taken") func whereAddress()
    async
  {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      var limit = rlimit(rlim_cur: 64 << 30, rlim_max: 64 << 30)
      guard unsafe setrlimit(__rlimit_resource_t(9), &limit) == 0 else { exit(1) }
      let environment = try folder.environment()
      let size = try environment.info().mapSize
      guard size == 1 << 35 else { exit(1) }
      try environment.set(try environment.createTable("t"), "k", "v")
    }
  }

  @Test("after a commit that the disk could not write, writes are refused and reads go on")
  func afterCommit() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let environment = try folder.environment()
      let table = try environment.createTable("t")
      try environment.set(table, "k", "v")
      // Writing to addresses that are not mapped fails with EIO.
      try redirect(folder.dataFile, to: "/proc/self/mem")
      let code = failure { () throws(LMDBError) in try environment.set(table, "k", "w") }
      guard code == .environmentFailed, environment.isFailed else { exit(1) }
      let again = failure { () throws(LMDBError) in try environment.set(table, "k", "w") }
      guard again == .environmentFailed else { exit(1) }
      guard try environment.text(table, "k") == "v" else { exit(1) }
      try environment.close()
      let reopened = try folder.environment()
      let after = try reopened.createTable("t")
      try reopened.set(after, "k", "x")
      guard try reopened.text(after, "k") == "x" else { exit(1) }
    }
  }

  @Test("after a commit for which the disk had no room, writes go on once it has")
  func afterFullDisk() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let environment = try folder.environment()
      let table = try environment.createTable("t")
      try environment.set(table, "k", "v")
      let hidden = try redirect(folder.dataFile, to: "/dev/full")
      for _ in 0..<2 {
        let code = failure { () throws(LMDBError) in try environment.set(table, "k", "w") }
        guard code == .system(ENOSPC), !environment.isFailed else { exit(1) }
        guard try environment.text(table, "k") == "v" else { exit(1) }
      }
      for (descriptor, kept) in hidden { dup2(kept, descriptor) }
      try environment.set(table, "k", "x")
      guard try environment.text(table, "k") == "x" else { exit(1) }
      try environment.close()
      let reopened = try folder.environment()
      guard try reopened.text(try reopened.createTable("t"), "k") == "x" else { exit(1) }
    }
  }
}

/// `fork`, which Swift hides because most programs should not use it.
@_silgen_name("fork")
private func forkProcess() -> Int32

private func abandonRead(_ path: String) throws {
  let environment = try Environment.open(path)
  let transaction = try environment.beginRead()
  die(holding: transaction)
}

private func abandonWrite(_ path: String) throws {
  let environment = try Environment.open(path)
  let table = try environment.createTable("t")
  var transaction = try environment.beginWrite()
  try transaction.put(table, 1, bytes("v").span)
  die(holding: transaction)
}

// Borrowing keeps the transaction open until the end. A call that never returns would not.
private func die(holding: borrowing ReadTransaction) { _exit(0) }
private func die(holding: borrowing WriteTransaction) { _exit(0) }

/// Redirects every descriptor of the file `path` in this process to `other`.
///
/// - Returns: Each of them, with a copy of what it was before.
@discardableResult
private func redirect(_ path: String, to other: String) throws -> [Int32: Int32] {
  let file = unsafe open(other, O_RDWR)
  var kept: [Int32: Int32] = [:]
  // All of them first: a copy leads there, too.
  let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    return target == path
  }
  for descriptor in descriptors.compactMap({ Int32($0) }) {
    kept[descriptor] = dup(descriptor)
    dup2(file, descriptor)
  }
  return kept
}
