import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

struct AdvanceTests {
  private static let isPresent = ConditionTrait.enabled(
    if: Conformance.isPresent, "skipped: no ../shared beside the package")

  /// Appends facts in random pieces and says where a unit is not what a fresh fold of its facts is.
  private func differences(
    _ ledger: FoldedLedger, pieceMax: Int, seed: UInt64, advances: inout Int
  ) throws -> Int {
    var random = SeededRandom(seed: seed)
    var growing = GrowingLedger(texts: ledger)
    var rest = ledger.facts[...]
    while !rest.isEmpty {
      let count = min(rest.count, 1 + random.below(pieceMax))
      try growing.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    advances += growing.advances
    return growing.units.count { unit in
      !unit.facts.isEmpty
        && Unit.fold(unit.facts, context: growing.context, texts: ledger).encoded() != unit.state
    }
  }

  @Test func `Random histories grown in pieces come to the very bytes of a fresh fold`() throws {
    var advances = 0
    for seed in 0..<60 as Range<UInt64> {
      let dense = Histories.dense(seed: seed, count: 40)
      let histories = [
        dense, RecordedEvent.shuffled(dense, seed: seed),
        Histories.realistic(seed: seed, count: 120),
        Histories.sparse(seed: seed, count: 120, accounts: 6),
      ]
      for (number, history) in histories.enumerated() {
        let different = try differences(
          FoldedLedger(history), pieceMax: 6, seed: seed, advances: &advances)
        #expect(different == 0, "seed \(seed), history \(number)")
      }
    }
    #expect(advances > 1_000, "most pieces in order go on without folding anew")
  }

  @Test(isPresent, arguments: [1, 9])
  func `Going on in pieces comes to the very bytes of a fresh fold`(pieceMax: Int) throws {
    var advances = 0
    for (number, history) in try #require(Conformance()).histories().enumerated() {
      let events =
        number % 2 == 0
        ? history.events : RecordedEvent.shuffled(history.events, seed: UInt64(number))
      let different = try differences(
        FoldedLedger(events), pieceMax: pieceMax, seed: UInt64(number), advances: &advances)
      #expect(different == 0, "\(history.name) in pieces up to \(pieceMax)")
    }
    #expect(advances > 1_000, "most pieces in order go on without folding anew")
  }

  @Test(isPresent) func `The context is the same in any order of arrival`() throws {
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
