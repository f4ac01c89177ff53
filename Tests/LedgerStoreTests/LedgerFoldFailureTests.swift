import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Synchronization
import Testing

@testable import LedgerStore

@Suite("A fold that fails in the background")
struct LedgerFoldFailureTests {
  private let folder: TemporaryFolder
  private let ledger: Ledger
  /// The path of the fold's lock. A folder at this path makes every fold fail.
  private var lock: String { "\(Projections.folder(of: ledger.log))/fold.lock" }

  init() throws {
    folder = try TemporaryFolder()
    ledger = try Ledger.create(
      at: folder.ledger, options: Environment.Options(sync: .onRequest), clock: fixedClock)
    if FileManager.default.fileExists(atPath: lock) {
      try FileManager.default.removeItem(atPath: lock)
    }
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
  }

  /// Waits for a background fold, a minute at most. A fold begins 50 ms after an append.
  private func waits(for condition: () -> Bool) async throws -> Bool {
    for _ in 0..<1_200 {
      if condition() { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  @Test("is reported, also to other processes, until a fold succeeds; nothing appended is lost")
  func reported() async throws {
    #expect(ledger.foldFailure == nil)
    _ = try await ledger.append([note("n1", "one")])
    #expect(try await waits { ledger.foldFailure != nil })
    #expect(try ledger.read { $0.position } == 1)
    try ledger.close()

    let reader = try Ledger(at: folder.ledger, access: .readOnly)
    #expect(reader.foldFailure != nil)
    try reader.close()

    try FileManager.default.removeItem(atPath: lock)
    let again = try Ledger(at: folder.ledger, clock: fixedClock)
    _ = try await again.append([note("n2", "two")])
    #expect(try await waits { again.foldFailure == nil })
    try again.fold()
    #expect(try again.checkProjections() == [])
    try again.close()
  }

  @Test("is not needed: what was appended while another process folds is folded after it")
  func elected() async throws {
    try FileManager.default.removeItem(atPath: lock)
    try ledger.fold()
    guard let other = try FileLock.tryLock(lock) else {
      Issue.record("somebody else folds")
      return
    }
    _ = try await ledger.append([note("n1", "one")])
    // Time for an attempt, which finds that somebody else folds.
    try await Task.sleep(for: .milliseconds(400))
    let projections = try #require(try ledger.source.live())
    #expect(try projections.position() == 0)
    other.unlock()
    #expect(try await waits { (try? projections.position()) == 1 })
    #expect(ledger.foldFailure == nil)
    try ledger.close()
  }

  @Test("does not end appends, however many events wait for it") func backlog() throws {
    ledger.schedule.backlogEventsMax.store(0, ordering: .relaxed)
    for number in 1...4 { try ledger.appendAndWait([note("n\(number)", "text")]) }
    #expect(ledger.foldFailure != nil)
    #expect(try ledger.log.lastPosition() == 4)
    // The control: a fold that can be done is waited for.
    try FileManager.default.removeItem(atPath: lock)
    try ledger.fold()
    for number in 5...6 { try ledger.appendAndWait([note("n\(number)", "text")]) }
    #expect(try #require(try ledger.source.live()).position() >= 5)
    try ledger.close()
  }
}
