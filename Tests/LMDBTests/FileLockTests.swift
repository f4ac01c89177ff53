import Foundation
import LMDB
import Testing

@Suite("File locks") struct FileLockTests {
  @Test("a held lock is refused to everybody else, and given back when its value goes")
  func heldLock() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/fold.lock"
    do {
      let lock = try FileLock.tryLock(path)
      let isHeld = lock != nil
      #expect(isHeld)
      let second = try FileLock.tryLock(path) != nil
      #expect(!second)
      if let lock { lock.unlock() }
    }
    let again = try FileLock.tryLock(path) != nil
    #expect(again)
  }

  #if os(Linux)
    @Test("a lock is given back even if a child has a copy of its descriptor, which is about to go")
    func forkedChild() throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/fold.lock"
      let lock = try FileLock.tryLock(path)
      // What a child has between `fork` and `exec`.
      let copy = try #require(descriptors(of: path).first.map { dup($0) })
      defer { close(copy) }
      if let lock { lock.unlock() }
      let again = try FileLock.tryLock(path) != nil
      #expect(again)
    }

    /// The descriptors by which this process has a file open.
    private func descriptors(of path: String) throws -> [Int32] {
      let files = FileManager.default
      return try files.contentsOfDirectory(atPath: "/proc/self/fd").filter {
        (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }.compactMap { Int32($0) }
    }
  #endif

  @Test("waiting for a lock ends when its holder gives it back") func waitingFor() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/fold.lock"
    let lock = try FileLock.tryLock(path)
    let order = Order()
    let waiter = Thread {
      order.note("waiting")
      if let lock = try? FileLock.lock(path) {
        order.note("taken")
        lock.unlock()
      }
    }
    waiter.start()
    order.wait(for: 1)
    order.note("released")
    if let lock { lock.unlock() }
    order.wait(for: 3)
    #expect(order.notes == ["waiting", "released", "taken"])
  }

  @Test("a killed process leaves no lock behind") func killedProcess() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/fold.lock"
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/flock")
    // With --no-fork, the process that holds the lock is the one that gets killed.
    holder.arguments = ["--no-fork", path, "sh", "-c", "echo held; exec sleep 60"]
    let output = Pipe()
    holder.standardOutput = output
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flock") else {
      print("skipped: there is no /usr/bin/flock")
      return
    }
    try holder.run()
    _ = output.fileHandleForReading.availableData
    let refused = try FileLock.tryLock(path) == nil
    #expect(refused)
    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    let taken = try FileLock.tryLock(path) != nil
    #expect(taken)
  }

  @Test("a lock in a folder that does not exist is an error that names the path") func lockFolder()
  {
    let error = #expect(throws: LMDBError.self) {
      _ = try FileLock.tryLock("/nonexistent/fold.lock") != nil
    }
    #expect(error?.code == .system(ENOENT))
    #expect(error?.message.contains("/nonexistent/fold.lock") == true)
  }
}

/// The order of events across threads.
private final class Order: @unchecked Sendable {
  private let condition = NSCondition()
  private var list: [String] = []

  var notes: [String] { condition.withLock { list } }

  func note(_ what: String) {
    condition.withLock {
      list.append(what)
      condition.broadcast()
    }
  }

  func wait(for count: Int) {
    condition.withLock { while list.count < count { condition.wait() } }
  }
}
