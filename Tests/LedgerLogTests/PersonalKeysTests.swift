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

  /// Whoever fills a free slot that is zeros also fills those after it, up to the end of their
  /// block. The batch has read these before.
  @Test(
    "has a batch's later slots read again when an earlier one has to be filled", arguments: 2...5)
  func filled(_ zero: UInt32) throws {
    let folder = try TemporaryFolder()
    var log = try EventLog.makeNew(folder)
    try log.appendAndWait([note("first", "slots one and two")])
    #expect(try log.read { (view) throws(LedgerError) in try view.lastSlot() } == 2)
    try log.close()
    let file = URL(filePath: folder.ledger + "/" + PersonalKeys.fileName)
    var bytes = try Data(contentsOf: file)
    let start = PersonalKeys.offset(2 + zero)
    bytes.resetBytes(in: start..<start + Secret.byteCount)
    try bytes.write(to: file)
    log = try EventLog(open: folder.ledger, clock: fixedClock)
    try log.appendAndWait((1...8).map { note("note-\($0)", "text \($0)") })
    try log.close()
    log = try EventLog(open: folder.ledger, clock: fixedClock)
    let texts = try log.allEvents().map { $0.event.data.string("text") }
    #expect(texts == ["slots one and two"] + (1...8).map { "text \($0)" })
  }
}
