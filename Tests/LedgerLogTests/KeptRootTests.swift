import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

@Suite("The root that is kept beside the log")
struct KeptRootTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let log = try EventLog.makeNew(folder)
    for round in 0..<9 {
      try log.appendAndWait((0..<5).map { progress("event-\(round)-\($0)") })
    }
    try log.close()
  }

  private var file: String { "\(folder.ledger)/\(RootKeeper.fileName)" }
  private var data: String { "\(folder.ledger)/log/data.mdb" }

  private func failure() -> LedgerError.Code? {
    do throws(LedgerError) {
      try EventLog(open: folder.ledger, clock: fixedClock).close()
      return nil
    } catch { return error.code }
  }

  @Test("is that of the last commit")
  func last() throws {
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    let root = try log.read { (view) throws(LedgerError) in try view.root(at: 45) }
    #expect(try log.roots.kept() == KeptRoot(position: 45, root: root))
    try log.appendAndWait([progress("one more")])
    #expect(try log.roots.kept()?.position == 46)
  }

  @Test("shows that the log went back by as little as one commit")
  func wentBack() throws {
    let older = try Data(contentsOf: URL(filePath: data))
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    try log.appendAndWait([progress("one more")])
    try log.close()
    #expect(failure() == nil)
    try older.write(to: URL(filePath: data))
    #expect(failure() == .corrupt)
    // Who has put the older log back on purpose says so.
    try FileManager.default.removeItem(atPath: file)
    #expect(failure() == nil)
  }

  /// LMDB takes the older meta page when the newer one's number is damaged; where the two pages do
  /// not show that themselves, this does.
  @Test("shows each flipped bit in the number of a meta page", arguments: 0..<4)
  func metaPages(_ more: Int) throws {
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    for round in 0..<more { try log.appendAndWait([progress("more-\(round)")]) }
    try log.close()
    let whole = try Data(contentsOf: URL(filePath: data))
    for bit in 0..<64 {
      for page in [0, 4096] {
        var damaged = whole
        damaged[page + 144 + bit / 8] ^= 1 << UInt8(bit % 8)
        try damaged.write(to: URL(filePath: data))
        #expect(failure() == .corrupt, "bit \(bit) of page \(page)")
      }
    }
  }

  @Test("leaves the one before it, even if each append opens the log anew")
  func twoSlots() throws {
    for round in 0..<3 {
      let log = try EventLog(open: folder.ledger, clock: fixedClock)
      try log.appendAndWait([progress("more-\(round)")])
      try log.close()
    }
    let whole = try Data(contentsOf: URL(filePath: file))
    var found: Set<UInt64?> = []
    for slot in [0, 512] {
      var damaged = whole
      damaged[slot + 40] ^= 1
      try damaged.write(to: URL(filePath: file))
      let log = try EventLog(open: folder.ledger, clock: fixedClock)
      found.insert(try log.roots.kept()?.position)
      try log.close()
    }
    #expect(found == [47, 48])
  }

  @Test("shows that the log took another course")
  func otherCourse() throws {
    let older = try Data(contentsOf: URL(filePath: data))
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    try log.appendAndWait([progress("one more")])
    try log.close()
    let kept = try Data(contentsOf: URL(filePath: file))
    try older.write(to: URL(filePath: data))
    try FileManager.default.removeItem(atPath: file)
    let other = try EventLog(open: folder.ledger, clock: fixedClock)
    try other.appendAndWait([progress("another"), progress("and another")])
    try other.close()
    #expect(failure() == nil)
    try kept.write(to: URL(filePath: file))
    #expect(failure() == .corrupt)
  }

  @Test("cannot be written, and the append succeeds and says so")
  func unwritable() throws {
    let kept = try Data(contentsOf: URL(filePath: file))
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(
      atPath: file, withIntermediateDirectories: false)
    let result = try log.appendAndWait([progress("one more")])
    #expect(result.outcomes == [.appended(46)])
    #expect(log.rootFailure?.contains(file) == true)
    try FileManager.default.removeItem(atPath: file)
    try kept.write(to: URL(filePath: file))
    try log.appendAndWait([progress("another")])
    #expect(log.rootFailure == nil)
    #expect(try log.roots.kept()?.position == 47)
    try log.close()
  }

  @Test("may be missing, empty, or older than the log")
  func behind() throws {
    let kept = try Data(contentsOf: URL(filePath: file))
    let log = try EventLog(open: folder.ledger, clock: fixedClock)
    try log.appendAndWait((0..<7).map { progress("more-\($0)") })
    try log.close()
    for content in [kept, Data(), Data(count: 1024)] {
      try content.write(to: URL(filePath: file))
      #expect(failure() == nil)
    }
    try FileManager.default.removeItem(atPath: file)
    #expect(failure() == nil)
  }

  @Test("says nothing if a power failure left only a part of the file that was begun")
  func begunInPart() throws {
    let slot = try Data(contentsOf: URL(filePath: file)).prefix(512)
    let parts = [
      slot.prefix(40), slot.prefix(40) + Data(count: 984), Data(count: 512) + slot.prefix(79),
    ]
    for part in parts {
      try Data(part).write(to: URL(filePath: file))
      #expect(failure() == nil, "\(part.count)")
    }
  }

  @Test("has both copies from the first commit on")
  func begunWhole() throws {
    let other = try TemporaryFolder()
    let log = try EventLog.create(at: other.ledger, clock: fixedClock)
    try log.appendAndWait([progress("one")])
    let bytes = try Data(contentsOf: URL(filePath: "\(other.ledger)/root"))
    #expect(bytes.prefix(80) == bytes.dropFirst(512))
    #expect(try log.roots.kept()?.position == 1)
    try log.close()
  }

  @Test("survives damage to one of its two copies, and tells of damage to both")
  func damaged() throws {
    let whole = try Data(contentsOf: URL(filePath: file))
    for offset in [3, 20, 35, 45, 75] {
      for bases in [[0], [512], [0, 512]] {
        var damaged = whole
        for base in bases { damaged[base + offset] ^= 16 }
        try damaged.write(to: URL(filePath: file))
        #expect(failure() == (bases.count == 2 ? .corrupt : nil), "\(offset) \(bases)")
      }
    }
  }

  @Test("is not kept when a power failure may drop commits")
  func lazySync() throws {
    let other = try TemporaryFolder()
    let log = try EventLog.create(
      at: other.ledger, options: Environment.Options(sync: .beforeNextCommit), clock: fixedClock)
    try log.appendAndWait([progress("one")])
    #expect(try log.roots.kept() == nil)
  }
}
