import Foundation
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

@Suite("The key file") struct PersonalKeysTests {
  @Test("has keys overwritten that read as zeros, because the disk may still hold them")
  func destroyAgain() throws {
    let folder = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(atPath: folder) } catch { print("left \(folder)") }
    }
    let head = try PersonalKeys.makeAnew(
      in: folder, ledger: [UInt8](repeating: 7, count: 16), taken: 5, mode: 0o600)
    var random = SystemRandomNumberGenerator()
    let identity = try LogIdentity(
      createdAt: Instant(microseconds: 0), keys: head, using: &random)
    let keys = PersonalKeys(folder: folder, identity, isWritable: true)
    #expect(try keys.lastSlot() == UInt32(PersonalKeys.blockSlots))
    let long = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes([.modificationDate: long], ofItemAtPath: keys.path)
    let before = try Data(contentsOf: URL(fileURLWithPath: keys.path))
    // A slot that a shorter copy lacks is not made, and a damaged row's 0 is none.
    #expect(try keys.destroy([0, 2, 1_000_000]))
    let changed = try FileManager.default.attributesOfItem(atPath: keys.path)[.modificationDate]
    #expect(try #require(changed as? Date) > long)
    #expect(try Data(contentsOf: URL(fileURLWithPath: keys.path)) == before)
  }
}
