import Foundation
import LedgerEvents
import LedgerStore
import Testing

@testable import LedgerService

/// What the log of the service says of folds that fail.
@Suite("The log of failed folds", .timeLimit(.minutes(20))) struct DiskWatchTests {
  @Test("says why events cannot be folded, once for each reason, and when that is over")
  func failures() async throws {
    let ledger = try MadeLedger()
    let opened = try Ledger(at: ledger.path)
    let lines = KeptLines()
    let watch = DiskWatch(ledger: opened, logger: lines.logger)
    var told: String?
    for _ in 1...2 { told = watch.tellOfFold(after: told) }
    #expect(lines.all.isEmpty)

    // A folder where the file is that elects who folds.
    let lock = ledger.path + "/projections/fold.lock"
    if FileManager.default.fileExists(atPath: lock) {
      try FileManager.default.removeItem(atPath: lock)
    }
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    #expect(throws: LedgerError.self) { try opened.fold() }
    for _ in 1...3 { told = watch.tellOfFold(after: told) }
    #expect(lines.all.map(\.message) == ["events cannot be folded"])
    #expect(lines.all.first?.metadata["reason"] == opened.foldFailure)

    try FileManager.default.removeItem(atPath: lock)
    try opened.fold()
    for _ in 1...3 { told = watch.tellOfFold(after: told) }
    #expect(lines.all.map(\.message) == ["events cannot be folded", "events are folded again"])
    #expect(told == nil)
    try opened.close()
  }
}
