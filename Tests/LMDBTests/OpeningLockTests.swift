import Foundation
import Testing

@testable import LMDB

@Suite("Opening an environment")
struct OpeningLockTests {
  /// If the other process is killed, this one must not go on with its half-made lock file.
  @Test("waits for another process that is opening it")
  func waits() throws {
    let folder = try TemporaryFolder()
    try Environment.open(folder.path).close()
    let data = "\(folder.path)/\(Environment.dataFileName)"
    guard let lock = try FileLock.tryLock(existing: data) else {
      Issue.record("nobody is opening it, and it is locked")
      return
    }
    let opened = DispatchSemaphore(value: 0)
    let path = folder.path
    Thread {
      do throws(LMDBError) {
        try Environment.open(path).close()
      } catch { Issue.record("\(error)") }
      opened.signal()
    }.start()
    // Too short a time could only hide a fault.
    #expect(opened.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
    lock.unlock()
    #expect(opened.wait(timeout: .now() + .seconds(60)) == .success)
  }
}
