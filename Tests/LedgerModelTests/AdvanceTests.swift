import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@Suite(.enabled(if: Conformance.isPresent, "skipped: no ../shared beside the package"))
struct AdvanceTests {
  @Test(arguments: [1, 5, 20])
  func `Going on in pieces comes to the very bytes of a fresh fold`(pieceMax: Int) throws {
    var advances = 0
    for (number, history) in try #require(Conformance()).histories().enumerated() {
      var random = SeededRandom(seed: UInt64(number))
      let events =
        number % 2 == 0
        ? history.events : RecordedEvent.shuffled(history.events, seed: UInt64(number))
      let ledger = FoldedLedger(events)
      var growing = GrowingLedger(texts: ledger)
      var rest = ledger.facts[...]
      while !rest.isEmpty {
        let count = min(rest.count, 1 + random.below(pieceMax))
        try growing.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      for unit in growing.units where !unit.facts.isEmpty {
        let fresh = Unit.fold(unit.facts, context: growing.context, texts: ledger)
        #expect(fresh.encoded() == unit.state, "\(history.name) in pieces up to \(pieceMax)")
      }
      advances += growing.advances
    }
    #expect(advances > 1_000, "most pieces in order go on without folding anew")
  }

  @Test func `The context is the same in any order of arrival`() throws {
    for (number, history) in try #require(Conformance()).histories().prefix(100).enumerated() {
      let ledger = FoldedLedger(history.events)
      var random = SeededRandom(seed: UInt64(number))
      var contexts: [SharedContext] = []
      for facts in [ledger.facts, random.shuffled(ledger.facts)] {
        var context = SharedContext()
        var change = ContextChange()
        for fact in facts { context.extend(with: fact, ledger, &change) }
        contexts.append(context)
      }
      for unit in ledger.book.units {
        #expect(unit.encoded() == (try Unit(decoding: unit.encoded())).encoded())
      }
      let folds = contexts.map { Unit.fold(ledger.facts, context: $0, texts: ledger).encoded() }
      #expect(folds[0] == folds[1], "\(history.name)")
    }
  }
}
