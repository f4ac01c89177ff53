import Foundation
import LMDB
import LedgerEvents
import LedgerStore
import Testing

@Suite("Closing a ledger")
struct LedgerCloseTests {
  private let path = FileManager.default.temporaryDirectory
    .appending(path: "daybook-close-\(UUID().uuidString)").path
  private let options = Environment.Options(sync: .onRequest)

  private func note(_ number: Int) -> EventInput {
    EventInput(
      event: Event(
        id: Name("close-\(number)"), type: EventType(.sessionStarted),
        occurredAt: Instant(microseconds: 1_700_000_000_000_000 + Int64(number)),
        account: "ann", device: "phone", session: Name("s\(number)")))
  }

  @Test("lets it be opened again at once, however often, with everything in it")
  func reopening() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Ledger.create(at: path, options: options).close()
    for round in 1...60 {
      let ledger = try Ledger(at: path, options: options)
      try ledger.appendAndWait([note(round)])
      // With a fold in progress, completed, and not begun.
      if round % 3 == 0 { try ledger.fold() }
      if round % 3 == 1 { _ = try ledger.read { $0.position } }
      try ledger.close()
    }
    let ledger = try Ledger(at: path, options: options)
    #expect(try ledger.log.lastPosition() == 60)
    try ledger.fold()
    #expect(try ledger.checkProjections() == [])
    try ledger.close()
  }

  @Test("is no error the second time, and what is asked afterwards is refused")
  func closedLedger() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let ledger = try Ledger.create(at: path, options: options)
    try ledger.appendAndWait([note(1)])
    try ledger.close()
    try ledger.close()
    #expect { _ = try ledger.appendAndWait([note(2)]) } throws: { Self.isClosed($0) }
    #expect { _ = try ledger.read { $0.position } } throws: { Self.isClosed($0) }
    #expect { try ledger.fold() } throws: { Self.isClosed($0) }
  }

  private static func isClosed(_ error: any Error) -> Bool {
    (error as? LedgerError)?.code == .closed
  }

  @Test("is refused while something reads, and works when it has ended")
  func busy() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let ledger = try Ledger.create(at: path, options: options)
    try ledger.appendAndWait([note(1)])
    try ledger.log.read { (_) throws(LedgerError) -> Void in
      #expect { try ledger.close() } throws: { ($0 as? LedgerError)?.code == .busy }
    }
    try ledger.appendAndWait([note(2)])
    #expect(try ledger.read { $0.position } == 2)
    try ledger.close()
  }
}
