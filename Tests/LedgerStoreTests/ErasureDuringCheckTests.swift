import Foundation
import LedgerEvents
import LedgerStore
import Testing

@Suite("A check of the projections")
struct ErasureDuringCheckTests {
  private static let accounts = 40

  /// Before, an erasure between the two folds was reported as a difference.
  @Test("agrees while customers are being erased")
  func erasures() throws {
    let fixture = try ErasureFixture(
      (0..<Self.accounts).map { number in
        #"{"id":"p\#(number)","type":"transaction.purchased","occurredAt":"2026-01-01T00:00:00Z","#
          + #""account":"account-\#(number)","product":"atlas","transaction":"t\#(number)"}"#
      })
    let ledger = fixture.ledger
    let erasures = try (0..<Self.accounts).map {
      try ErasureFixture.erasure(Name("account-\($0)"), "e\($0)", at: "2026-05-01")
    }
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      for event in erasures {
        do throws(LedgerError) { try ledger.erase(event) } catch {
          Issue.record("\(error)")
        }
      }
      ended.signal()
    }
    thread.start()
    repeat {
      #expect(try ledger.checkProjections() == [])
    } while ended.wait(timeout: .now()) == .timedOut
    #expect(try ledger.checkProjections() == [])
  }
}
