import LedgerEvents
import LedgerHistories
import ModelComparison
import Testing

@testable import LedgerModel

@Suite("Questions about many customers of a unit") struct HolderIndexTests {
  @Test("have the answers of questions about one") func same() {
    var asked = 0
    for seed in 0..<60 as Range<UInt64> {
      let ledger = FoldedLedger(Histories.dense(seed: seed))
      let context = ledger.folded.context
      for unit in ledger.folded.units {
        let indexed = unit.indexedByHolder()
        for account in unit.knownAccounts {
          let subject = Subject.account(account)
          for environment in StoreEnvironment.allCases {
            let set = EnvironmentSet(environment)
            let moment = unit.newestEvent(of: subject, environments: set) ?? 0
            asked += 1
            func answer(_ unit: Unit) -> Answer {
              unit.answer(subject, environments: set, at: moment, context: context, texts: ledger)
            }
            #expect(answer(indexed) == answer(unit), "seed \(seed)")
            #expect(
              indexed.installed(subject, environments: set)
                == unit.installed(subject, environments: set), "seed \(seed)")
            #expect(
              indexed.accounts(of: subject, environments: set)
                == unit.accounts(of: subject, environments: set), "seed \(seed)")
            #expect(
              indexed.standings(of: subject, environments: set).map(\.number)
                == unit.standings(of: subject, environments: set).map(\.number), "seed \(seed)")
          }
        }
      }
    }
    #expect(asked > 500)
  }

  @Test("leave nothing behind when events are folded") func forgotten() throws {
    var advanced = 0
    for seed in 0..<200 as Range<UInt64> {
      let ledger = FoldedLedger(Histories.dense(seed: seed))
      let facts = ledger.facts.sorted { FoldKey($0).precedes(FoldKey($1), ledger) }
      let context = FoldContext(
        context: SharedContext(of: facts, texts: ledger), texts: ledger)
      var unit = UnitSet.fold(
        connected: facts.dropLast(), context: context.shared, texts: ledger
      ).indexedByHolder()
      let isIndexed = unit.environments.contains { $0.indexes.holders.areMade }
      guard isIndexed, unit.advance(facts.suffix(1), context) else { continue }
      advanced += 1
      #expect(unit.environments.allSatisfy { !$0.indexes.holders.areMade }, "seed \(seed)")
    }
    #expect(advanced > 10)
  }
}
