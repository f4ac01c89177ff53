import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerStore
import LedgerTesting
import Testing

@Suite("A view of a ledger") struct LedgerViewTests {
  @Test("gives no answer that rests on a text which could not be read") func failedText() throws {
    let folder = try TemporaryLedger(Histories.dense(seed: 5, count: 20))
    let unused = nameNumberMax
    let error = #expect(throws: LedgerError.self) {
      // A question that does not look whether the texts failed.
      try folder.ledger.read { (view) throws(LedgerError) in view.texts.text(of: unused) }
    }
    #expect(error?.code == .notFound || error?.code == .corrupt)
    let position = try folder.ledger.read { (view) throws(LedgerError) in
      _ = view.texts.text(of: 1)
      return view.position
    }
    #expect(position == 20)
  }

  @Test(
    "lists facts in the order of their positions, stored ones and new ones, as far as the clocks go"
  )
  func factsInOrder() throws {
    let folder = try TemporaryLedger(halfFolded: Histories.dense(seed: 6, count: 120))
    try folder.ledger.read { (view) throws(LedgerError) in
      var seen: Set<UInt64> = []
      var walk = try view.units()
      while try walk.advance() {
        let facts = try view.facts(of: walk.unit)
        let positions = facts.map(\.position)
        #expect(positions == Set(positions).sorted())
        seen.formUnion(positions)
        let moment = facts[facts.count / 2].occurredAt
        let clocks = Clocks(at: Instant(microseconds: moment), asOf: .position(70))
        let known = facts.filter { $0.position <= 70 && $0.occurredAt <= moment }
        let past = try view.facts(of: walk.unit, at: clocks)
        #expect(past.map(\.position) == known.map(\.position))
      }
      #expect(seen == Set(1...120))
      let shared = try view.contextFacts().map(\.position)
      #expect(shared == Set(shared).sorted() && seen.isSuperset(of: shared))
    }
  }
}
