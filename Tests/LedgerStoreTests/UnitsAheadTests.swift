import LedgerEvents
import LedgerModel
import Testing

@testable import LedgerStore

@Suite("Units that are folded ahead") struct UnitsAheadTests {
  @Test("leave no row behind that a late event shows to be wrong") func formerRows() throws {
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    ledger.foldsOnlyWhenCalled()
    let live = try #require(try ledger.source.live())
    var ahead: [UnitNumber] = []
    var pace = MergePace()
    pace.didFoldAhead = { ahead.append($0) }
    let projector = Projector(log: ledger.log, projections: live, pace: pace)

    try append(to: ledger) { customer in
      [
        (30, #""type":"transaction.purchased","transaction":"t\#(customer)","product":"book""#),
        (
          // The download says no product, so it has that of its transaction: the first one stated.
          40,
          #""type":"download.waiting","transaction":"t\#(customer)","download":"d\#(customer)","#
            + #""data":{"contentVersion":"1"}"#
        ),
      ]
    }
    _ = try projector.step()
    #expect(ahead.count == Self.customers)
    let before = try StoredRows(live).keys(of: live.tables.observed)

    ahead = []
    try append(to: ledger) { customer in
      [
        (
          25,
          #""type":"transaction.purchasing","transaction":"t\#(customer)","product":"map","#
            + #""payment":"y\#(customer)""#
        )
      ]
    }
    _ = try projector.step()
    #expect(ahead.count == Self.customers)
    let after = try StoredRows(live).keys(of: live.tables.observed)
    #expect(before.count == Self.customers && after.count == Self.customers)
    #expect(before.isDisjoint(with: after))

    let fresh = try Projections.make(live.generation + 1, of: ledger.log)
    _ = try Projector(log: ledger.log, projections: fresh).step()
    #expect(try StoredRows(live).differences(from: try StoredRows(fresh)).isEmpty)
  }

  private static let customers = 40

  private func append(
    to ledger: Ledger, _ events: (_ customer: Int) -> [(second: Int, text: String)]
  ) throws {
    var decoded: [EventInput] = []
    for customer in 0..<Self.customers {
      for (second, text) in events(customer) {
        let line =
          #"{"id":"e\#(customer)-\#(second)","account":"a\#(customer)","#
          + #""device":"phone\#(customer)","occurredAt":"2026-01-01T00:00:\#(second)Z",\#(text)}"#
        decoded.append(
          try EventDecoder().decode(line: Array(line.utf8), number: decoded.count + 1))
      }
    }
    _ = try ledger.appendAndWait(decoded)
  }
}
