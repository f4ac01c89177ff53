import LedgerEvents
import Testing

@testable import LedgerStore

/// Customers who are erased between the fold of the projections and the one that they are compared
/// with, which cannot read their names any more.
@Suite("A check of the projections") struct ErasureDuringCheckTests {
  private let ledger: Ledger
  private let fixture: ErasureFixture

  init() throws {
    fixture = try ErasureFixture(
      (0..<40).map { number in
        #"{"id":"p\#(number)","type":"transaction.purchased","occurredAt":"2026-01-01T00:00:00Z","#
          + #""account":"account-\#(number)","product":"atlas","transaction":"t\#(number)"}"#
      })
    ledger = fixture.ledger
  }

  /// Checks, and erases a customer in each of the first folds.
  private func check(erasures: Int) throws -> (differences: [String], folds: Int) {
    let events = try (0..<erasures).map {
      try ErasureFixture.erasure(Name("account-\($0)"), "e\($0)", at: "2026-05-01")
    }
    var folds = 0
    let differences = try ledger.checkProjections(nil) { () throws(LedgerError) in
      if folds < events.count { try ledger.erase(events[folds]) }
      folds += 1
    }
    return (differences, folds)
  }

  @Test("agrees although customers are erased meanwhile", arguments: [0, 1, 3])
  func agrees(erasures: Int) throws {
    let (differences, folds) = try check(erasures: erasures)
    #expect(differences == [])
    #expect(folds == erasures + 1)
  }

  @Test("gives up if customers are erased each time") func givesUp() throws {
    #expect(throws: LedgerError(.busy, "")) { try check(erasures: 40) }
    #expect(try check(erasures: 0).differences == [])
  }
}
