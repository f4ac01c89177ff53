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

  @Test(
    "gives a lock file that the superuser makes to the owner of the data",
    .enabled(if: geteuid() == 0, "only the superuser gives files away"))
  func ownersLockFile() throws {
    let folder = try TemporaryFolder()
    try Environment.open(folder.path).close()
    let lock = "\(folder.path)/\(Environment.lockFileName)"
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.setAttributes(
      [.ownerAccountID: 8470, .groupOwnerAccountID: 8471], ofItemAtPath: folder.dataFile)
    try folder.environment(Environment.Options(readOnly: true)).close()
    let made = try FileManager.default.attributesOfItem(atPath: lock)
    #expect((made[.ownerAccountID] as? NSNumber)?.intValue == 8470)
    #expect((made[.groupOwnerAccountID] as? NSNumber)?.intValue == 8471)
  }
}
